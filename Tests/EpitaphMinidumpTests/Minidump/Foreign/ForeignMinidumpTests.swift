// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite(
    "Minidumps that others made",
    .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)))
struct ForeignMinidumpTests {
    private func contents(_ name: String) throws -> MinidumpContents {
        try MinidumpReader.read(ByteSlice(try ForeignMinidumps.bytes(name)))
    }

    @Test(
        "Breakpad's tell signal, crashing thread and modules",
        arguments: [
            ("linux_null_dereference", 11, 0), ("linux_divide_by_zero", 8, nil),
            ("linux_jmp_to_0", 11, 0), ("linux_overflow", 6, nil),
            ("linux_raise_sigabrt", 6, nil), ("linux-mini", 11, 0x45),
        ] as [(String, Int32, UInt64?)])
    func breakpad(name: String, signal: Int32, address: UInt64?) throws {
        let snapshot = try contents(name).snapshot
        let exception = try #require(snapshot.exception)
        #expect(exception.signal == signal)
        if let address { #expect(exception.address == address) }
        #expect(snapshot.architecture == .x86_64)
        #expect(snapshot.process.id != nil)
        let thread = try #require(snapshot.crashingThread)
        let stack = try #require(thread.stack)
        let registers = try #require(exception.registers)
        #expect(stack.addressRange.contains(registers.stackPointer))
        if name == "linux_jmp_to_0" { #expect(registers.instructionPointer == 0) }
        #expect(snapshot.modules.count > 2)
        #expect(snapshot.modules.first?.kind == .executable)
        #expect(snapshot.files.maps != nil)
        #expect(snapshot.system.kernelName == "Linux")
        #expect(!exception.isCodeKnown, "Breakpad wrote no code then")
    }

    @Test("Breakpad's loader list is understood: 40 and 24 bytes, naturally padded")
    func dynamicLinker() throws {
        let snapshot = try contents("linux-mini").snapshot
        let linker = try #require(snapshot.dynamicLinker)
        #expect(linker.version == 1)
        #expect(linker.dynamicSection.count == 432)
        let loader = try #require(snapshot.modules.first { $0.kind == .loader })
        #expect(loader.loadBias == loader.addressRange.lowerBound)
    }

    @Test("Another writer's soft errors become damage")
    func softErrors() throws {
        let damage = try contents("linux-mini").snapshot.damage
        #expect(damage.contains { $0.reason.contains("StopProcessFailed") })
    }

    @Test("Crashpad's from macOS gives ids, annotations and threads")
    func crashpad() throws {
        let contents = try contents("simple-crashpad")
        #expect(contents.snapshot.system.kernelName == "macOS")
        #expect(
            contents.reportID == Epitaph.ID("42f9de72-518a-43dd-97d7-8ddc328d3662"))
        #expect(!contents.snapshot.annotations.isEmpty)
        #expect(contents.snapshot.threads.count == 1)
        #expect(contents.snapshot.crashingThread?.registers != nil)
        #expect(
            contents.snapshot.messages.map(\.source) == ["libsystem_c.dylib", "dyld"])
        #expect(contents.snapshot.messages.first?.text == "abort() called")
        let exception = try #require(contents.snapshot.exception)
        #expect(exception.signal == 0)
        #expect(exception.foreign?.parameters.prefix(2) == [10, 0x600_0000])
    }

    @Test("32-bit Windows gives threads with names and registers, and modules")
    func windows() throws {
        let snapshot = try contents("thread_name_list").snapshot
        #expect(snapshot.architecture == .x86)
        #expect(snapshot.system.operatingSystem == .windows)
        #expect(snapshot.threads.count == 6)
        #expect(snapshot.threads.contains { $0.name != nil })
        #expect(snapshot.exception?.registers?.instructionPointer == 0x4015fd)
        #expect(snapshot.modules.count == 17)
    }

    @Test("Any of them cut in the middle never traps", arguments: ForeignMinidumps.names)
    func cuts(name: String) throws {
        let whole = ByteSlice(try ForeignMinidumps.bytes(name))
        for length in stride(from: 0, to: whole.count, by: 97) {
            _ = try? MinidumpReader.read(whole.slice(from: 0, length: length))
        }
    }
}
