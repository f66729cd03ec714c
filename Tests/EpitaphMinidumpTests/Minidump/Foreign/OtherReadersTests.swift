// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite("Readers of other people")
struct OtherReadersTests {
    private func lldb(_ snapshot: ProcessSnapshot, _ commands: [String]) throws -> String {
        try #require(
            FileManager.default.isExecutableFile(atPath: "/usr/bin/lldb"),
            "/usr/bin/lldb is missing: run Scripts/setup, which installs Debian's")
        let directory = try TemporaryDirectory()
        let path = try directory.write(minidump(of: snapshot), to: "written.dmp")
        let options = commands.flatMap { ["-o", $0] }
        let result = try Subprocess.run(
            ["/usr/bin/lldb", "--no-lldbinit", "-b", "-c", path] + options, deadlineSeconds: 60)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        return result.standardOutput
    }

    @Test("lldb shows signal, threads, modules and stack bytes", arguments: Architecture.captured)
    func lldb(architecture: Architecture) throws {
        let output = try lldb(
            architecture == .x86_64 ? Samples.x86_64 : Samples.aarch64,
            [
                "thread list", "image list", "register read pc sp",
                "memory read --format x --size 1 --count 4 0x7ffc10000080",
                "memory region 0x7ffc10000080",
            ])
        #expect(output.contains("(\(architecture.name)) was loaded"))
        #expect(output.contains("Process 4711 stopped"))
        #expect(
            output.contains(
                "* thread #1: tid = 4711, 0x0000555555554123 greeter, stop reason = signal SIGSEGV")
        )
        #expect(output.contains("thread #2: tid = 4712, 0x00007f1010000456 libhello.so.1"))
        #expect(output.contains("thread #3: tid = 4713, 0x00007f1010000777 libhello.so.1"))
        #expect(output.contains("thread #4: tid = 4714"))
        #expect(
            output.contains(
                "[  0] 01020304-0506-0708-090A-0B0C0D0E0F10-11121314 0x0000555555554000 "
                    + "/srv/none/greeter"))
        #expect(output.contains("0x00007f1010000000 /srv/none/libhello.so.1"))
        #expect(output.contains("0x00007ffc20000000 linux-vdso.so.1"))
        #expect(output.contains("0x00007ffc10000080"))
        // 128 * 7 + 6 and so on, see Samples.
        #expect(output.contains("0x7ffc10000080: 0x86 0x8d 0x94 0x9b"))
        #expect(output.contains("[0x00007ffc10000000-0x00007ffc10001000) rw- [stack]"))
    }

    @Test("lldb shows the stop reason of a crash whose thread the list lacks")
    func lldbLostThread() throws {
        var snapshot = Samples.x86_64
        snapshot.threads = []
        snapshot.exception?.signal = 6
        let output = try lldb(snapshot, ["thread list"])
        #expect(
            output.contains("tid = 4711, 0x0000555555554123 greeter, stop reason = signal SIGABRT"))
    }

    @Test("PyPI's minidump lists the same threads, modules, memory and mappings")
    func python() throws {
        let snapshot = Samples.x86_64
        let directory = try TemporaryDirectory()
        let listing = try PythonListing.of(
            try directory.write(minidump(of: snapshot), to: "written.dmp"))

        #expect(listing.processor == "AMD64")
        #expect(listing.processID == 4711)
        #expect(listing.threads.map(\.id) == [4711, 4712, 4713, 4714])
        #expect(
            listing.threads.map(\.stack) == [Samples.stackBase, Samples.workerStackBase, 0, 0])
        #expect(listing.threads.map(\.stackSize) == [400, 160, 0, 0])
        #expect(listing.modules.map(\.name) == snapshot.modules.map(\.path))
        #expect(listing.modules.map(\.address) == snapshot.modules.map(\.addressRange.lowerBound))
        #expect(listing.modules.map(\.size) == [0x3000, 0x20000, 0x1000])
        let expected: [UInt64: [UInt8]] = [
            Samples.stackBase: Samples.bytes(400, seed: 6).array,
            0x5555_5555_4100: Samples.bytes(64, seed: 1).array,
            Samples.workerStackBase: Samples.bytes(160, seed: 5).array,
            Samples.vdsoBase: Samples.bytes(4096, seed: 8).array,
        ]
        #expect(listing.memory.count == expected.count)
        for range in listing.memory {
            #expect(hex(range.bytes) == expected[range.address])
        }
        let mappings = MemoryMapping.parse(Samples.maps).mappings
        #expect(listing.mappings.map(\.address) == mappings.map(\.addressRange.lowerBound))
    }
}
