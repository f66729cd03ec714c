// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite("Lines of /proc/PID/maps")
struct MemoryMappingTests {
    private func parse(_ text: String) -> (mappings: [MemoryMapping], skippedLines: Int) {
        MemoryMapping.parse(ByteSlice(Array(text.utf8)))
    }

    @Test("Each field of a line is read")
    func fields() throws {
        let (mappings, skipped) = parse(
            """
            7f12a000-7f12c000 r-xp 00002000 fe:00 1234     /opt/a b/lib.so (deleted)
            ffffffffff600000-ffffffffff601000 --xs 00000000 00:00 0 \

            7ffd1000-7ffd2000 rw-p 00000000 00:00 0 [stack]
            """)
        var code = MemoryMapping(addressRange: 0x7f12_a000..<0x7f12_c000)
        (code.isReadable, code.isExecutable) = (true, true)
        (code.fileOffset, code.inode) = (0x2000, 1234)
        code.path = "/opt/a b/lib.so (deleted)"
        var page = MemoryMapping(addressRange: 0xffff_ffff_ff60_0000..<0xffff_ffff_ff60_1000)
        (page.isExecutable, page.isShared) = (true, true)
        var stack = MemoryMapping(addressRange: 0x7ffd_1000..<0x7ffd_2000)
        (stack.isReadable, stack.isWritable, stack.path) = (true, true, "[stack]")
        #expect(mappings == [code, page, stack])
        #expect(skipped == 0)
    }

    @Test(
        "A line with another form is counted, and the next one is read",
        arguments: [
            "x", "7f-", "7f-80", "80-7f r--p 0 0:0 0", "7f 80 r--p 0 0:0 0", "7f-80 r-- 0 0:0 0",
            "7f-8g r--p 0 0:0 0", "7f-80 r--p 0 0:0", "7f-80 r--p 0 0:0 1f", "-80 r--p 0 0:0 0",
            "7f-11111111111111111 r--p 0 0:0 0", "7f-80 r--p 0 0:0 18446744073709551616",
        ])
    func malformed(line: String) {
        let (mappings, skipped) = parse("\(line)\n\n7f-80 r--p 0 0:0 0\n")
        #expect(mappings.map(\.addressRange) == [0x7f..<0x80])
        #expect(skipped == 1)
    }
}
