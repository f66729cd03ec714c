// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert show of more than any program has")
struct ManyThreadsTests {
    /// Records of 48 bytes that share one stack and one set of registers.
    private func dump(threads: UInt32, in directory: TemporaryDirectory) throws -> String {
        let listOffset = 32 + 36
        let stackOffset = listOffset + 4 + 48 * Int(threads)
        var file = ByteBuilder()
        for word in [0x504d_444d, 0xa793, 3, 32, 0, 0, 0, 0] as [UInt32] { file.append(word) }
        let streams: [(UInt32, Int, Int)] = [
            (3, 4 + 48 * Int(threads), listOffset), (7, 56, stackOffset + 512 + 1232),
            (6, 168, stackOffset + 512 + 1232 + 56),
        ]
        for (type, size, offset) in streams {
            for word in [type, UInt32(size), UInt32(offset)] { file.append(word) }
        }
        file.append(threads)
        for id in 1...threads {
            for word in [id, 0, 0, 0] { file.append(word) }
            for word in [0, 0x7ffc_0000_0000] as [UInt64] { file.append(word) }
            for word in [512, stackOffset, 1232, stackOffset + 512] { file.append(UInt32(word)) }
        }
        for index in 0..<64 as Range<UInt64> { file.append(0x40_1000 + index) }
        var context = [UInt8](repeating: 0, count: 1232)
        (context[48], context[50]) = (0x0f, 0x10)  // ContextFlags
        (context[157], context[156]) = (0x7f, 0xfc)  // rsp
        (context[250], context[249]) = (0x40, 0x10)  // rip
        file.append(context)
        file.append(UInt16(9))
        file.appendZeros(18)
        file.append(UInt32(0x8201))
        file.appendZeros(32)
        for word in [1, 0, 11, 1] as [UInt32] { file.append(word) }
        file.appendZeros(144)
        for word in [1232, stackOffset + 512] { file.append(UInt32(word)) }
        var sink = FileSink(try FileDescriptor.create(directory.path("threads.dmp")))
        try sink.append(file.bytes)
        return directory.path("threads.dmp")
    }

    @Test(
        "Of 200,000 threads 16,384 are shown, in every form, and the report says so",
        .timeLimit(.minutes(45)),
        arguments: Sweep.sample([["--all-threads"], ["--json"], ["--html", "-"]], oneOf: 3))
    func threads(form: [String]) throws {
        let directory = try TemporaryDirectory()
        let dump = try dump(threads: 200_000, in: directory)
        let (text, peak) = try HostileFile.showing([dump] + form)
        #expect(text.contains("200000 entries; 16384 are read"))
        #expect(peak < 512, "\(peak) MiB")
    }

    @Test("A file of holes among the dumps is put aside by its size", .timeLimit(.minutes(45)))
    func holes() throws {
        let sample = try SampleDatabase()
        let pending = sample.path + "/pending-dumps"
        try FileManager.default.createDirectory(
            atPath: pending, withIntermediateDirectories: true)
        let name = "com.example.holes@0f0e0d0c-0b0a-4908-8706-050403020100"
        _ = FileManager.default.createFile(atPath: pending + "/" + name, contents: nil)
        guard truncate(pending + "/" + name, 100 << 30) == 0 else { return }
        let result = try dumpConvert("process", "--all", "--database", sample.path)
        #expect(result.standardError.contains("larger than 2 GiB"), "\(result.standardError)")
        let status = try FileManager.default.contentsOfDirectory(atPath: pending)
        #expect(!status.contains(name))
        try dumpConvertOutput("process", "--all", "--database", sample.path)
    }
}
