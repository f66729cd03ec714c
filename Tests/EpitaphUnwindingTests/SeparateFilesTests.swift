// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// Debug files apart from the program, and programs without a build id.
struct SeparateFilesTests {
    private struct Split {
        let directory: TemporaryDirectory
        let program: String
        let debug: String
        let module: ModuleSnapshot
    }

    /// A stripped program that names its debug file, which is in another directory.
    private func split(_ options: [String]) throws -> Split {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(options + ["-g"], in: directory)
        let apart = directory.path("apart")
        try FileManager.default.createDirectory(
            atPath: apart, withIntermediateDirectories: false)
        let debug = apart + "/crash.debug"
        for command in [
            ["objcopy", "--only-keep-debug", program, debug], ["strip", program],
            ["objcopy", "--add-gnu-debuglink=\(debug)", program],
        ] {
            #expect(try Subprocess.run(command).ending == .exited(0))
        }
        var module = ModuleSnapshot(
            path: program, addressRange: 0x1000..<0x9000, kind: .executable)
        module.buildID = try ELFImage(try FileBytes.contents(of: program)).buildID
        return Split(directory: directory, program: program, debug: debug, module: module)
    }

    @Test("Below a directory of symbols a file is found by its build id, whatever it is called")
    func anyName() throws {
        let split = try split([])
        let symbols = split.directory.path("symbols")
        try FileManager.default.createDirectory(
            atPath: symbols + "/of/last/week", withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: split.debug, toPath: symbols + "/of/last/week/4711.bin")
        let none = InstalledImages().images(for: split.module)
        #expect(none.code?.path == split.program)
        #expect(none.debug == nil)
        let found = InstalledImages(symbolDirectories: [symbols]).images(for: split.module)
        #expect(found.debug?.path == symbols + "/of/last/week/4711.bin")

        // The program itself may be there as well, under another name, and be gone from its place.
        try FileManager.default.moveItem(atPath: split.program, toPath: symbols + "/renamed")
        let moved = InstalledImages(symbolDirectories: [symbols]).images(for: split.module)
        #expect(moved.code?.path == symbols + "/renamed")
        #expect(moved.problem == nil)
    }

    @Test("Without a build id a debug file belongs to a program by its checksum alone")
    func checksum() throws {
        let split = try split(["-Wl,--build-id=none"])
        #expect(split.module.buildID.isEmpty)
        let symbols = split.directory.path("apart")
        let images = InstalledImages(symbolDirectories: [symbols]).images(for: split.module)
        #expect(images.code == nil)
        #expect(images.candidate?.path == split.program)
        #expect(images.debug?.path == split.debug)
        #expect(images.problem == .noBuildID(path: split.program))

        var bytes = try FileBytes.contents(of: split.debug).array
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: split.debug))
        let changed = InstalledImages(symbolDirectories: [symbols]).images(for: split.module)
        #expect(changed.debug == nil)
    }

    @Test("A program without a build id is used if the code in the snapshot is the file's")
    func evidence() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O2", "-fomit-frame-pointer", "-Wl,--build-id=none"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "recursion"], in: directory)
        let truth = debugged.frames.map(\.instructionPointer)
        let file = try ELFImage(try FileBytes.contents(of: program))
        var snapshot = debugged.snapshot
        let module = try #require(snapshot.modules.first { $0.path == program })
        let address = truth[0] - 24
        let code = file.constantBytes(at: address &- file.loadBias(in: module), count: 48)
        #expect(code.count == 48)

        func backtrace(_ bytes: [UInt8]) throws -> Backtrace {
            snapshot.memory = [MemoryRegion(address: address, bytes: ByteSlice(bytes))]
            let unwinder = StackUnwinder(snapshot: snapshot, images: InstalledImages())
            return try #require(unwinder.unwindException())
        }
        func problem() -> ImageProblem? {
            EvidencedImages(InstalledImages(), for: snapshot).images(for: module).problem
        }
        let whole = try backtrace(code.array)
        #expect(whole.frames.map(\.instructionPointer) == truth)
        #expect(whole.frames[1].foundBy == .unwindTable)
        #expect(problem() == .matchedByContents(path: program))

        var patched = code.array
        patched[40] ^= 0xff
        #expect(try backtrace(patched).frames.dropFirst().first?.foundBy != .unwindTable)
        #expect(problem() == .noBuildID(path: program))
        // Too little is no evidence.
        _ = try backtrace(Array(code.array.prefix(16)))
        #expect(problem() == .noBuildID(path: program))
    }
}
