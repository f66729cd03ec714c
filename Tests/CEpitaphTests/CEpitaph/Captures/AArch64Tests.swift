// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The C code of the other architecture, run by an emulator.
@Suite struct AArch64Tests {
    static let emulator = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"]
    static let dummy = Products.packageRoot + "/.build/aarch64/CEpitaphVictim"

    /// What Scripts/fixtures has compiled Epitaph's C sources to.
    static let objects = Products.cObjects.map { object in
        let name = object.dropFirst(Products.directory.count + 1)
            .replacing(".build/", with: "/").replacing("/", with: "_")
        return Products.packageRoot + "/.build/aarch64/Sources_Capture_" + name
    }

    static func run(_ way: String, threads: Int = 2) throws -> Dummy {
        guard FileManager.default.isExecutableFile(atPath: dummy) else {
            throw Missing(description: "\(dummy) is missing: run Scripts/fixtures --build")
        }
        let directory = try Dummy(way, threads: threads, command: [dummy], prefix: emulator)
        return directory
    }

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    @Test(
        "Crashes of aarch64 programs are captured",
        arguments: [
            ("null-write", SIGSEGV), ("abort", SIGABRT), ("illegal-instruction", SIGILL),
            ("breakpoint", SIGTRAP), ("raise", SIGSEGV), ("stack-overflow", SIGSEGV),
            ("throw", SIGABRT), ("in-malloc", SIGSEGV), ("tiny-stack", SIGSEGV),
            ("handler-on-small-stack", SIGSEGV), ("coroutine", SIGSEGV),
        ])
    func captured(_ way: String, _ signal: Int32) throws {
        let run = try Self.run(way)
        #expect(run.result.ending == .signalled(signal))
        let dump = try run.dump()
        #expect(dump.architecture == .aarch64)
        #expect(dump.isComplete)
        #expect(dump.snapshot.exception?.signal == signal)
    }

    @Test("What the program noted is there, but for what was being written")
    func breadcrumbs() throws {
        let all = try Self.run("crumbs").snapshot().breadcrumbs
        #expect(all.map(\.message) == (37...100).map { "step \($0)" })
        let torn = try Self.run("crumbs-torn").snapshot()
        #expect(torn.breadcrumbs.map(\.message) == ["whole"])
        #expect(
            torn.damage.contains { $0.sentence == "1 breadcrumb: half written at that moment" })
    }

    @Test("The memory behind a pointer with a tag is in the dump")
    func taggedPointer() throws {
        let snapshot = try Self.run("tagged-pointer").snapshot()
        guard case .aarch64(let registers)? = snapshot.exception?.registers else {
            Issue.record("no aarch64 registers")
            return
        }
        #expect(registers.x[9] >> 56 == 0xab)
        #expect(snapshot.memory.contains { $0.bytes.text.contains("a tagged pointer") })
    }

    @Test("Registers, threads and modules are there")
    func contents() throws {
        let snapshot = try Self.run("null-write").snapshot()
        guard case .aarch64(let registers)? = snapshot.exception?.registers else {
            Issue.record("no aarch64 registers")
            return
        }
        #expect(snapshot.exception?.address == 16)
        #expect(registers.vectors?.count == 512)
        #expect(snapshot.modules.first?.addressRange.contains(registers.pc) == true)
        #expect(snapshot.modules.first?.kind == .executable)
        #expect(snapshot.threads.count >= 3)
        #expect(snapshot.crashingThread?.stack?.addressRange.contains(registers.sp) == true)
    }
}
