// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// Programs whose file was deleted or replaced while they ran; gdb had the file.
struct ModuleWithoutFileTests {
    /// All files of this machine but one.
    private struct AllBut: ELFImageSource {
        let path: String
        let installed = InstalledImages()

        func images(for module: ModuleSnapshot) -> ModuleImages {
            module.path == path
                ? ModuleImages(problem: .notFound(path: path)) : installed.images(for: module)
        }
    }

    private struct Crash {
        var snapshot: ProcessSnapshot
        let truth: [UInt64]
        let program: Int
        let image: ELFImage
        let images: AllBut

        init(_ options: [String], _ way: String) throws {
            let directory = try TemporaryDirectory()
            let path = try CrashingProgram.compile(options, in: directory)
            let debugged = try DebuggedProgram(running: [path, way], in: directory)
            snapshot = debugged.snapshot
            truth = debugged.frames.map(\.instructionPointer)
            program = try #require(snapshot.modules.firstIndex { $0.path == path })
            image = try ELFImage(ByteSlice(Array(try Data(contentsOf: URL(filePath: path)))))
            images = AllBut(path: path)
            // What a core file has of a program, a dump has not.
            let range = snapshot.modules[program].addressRange
            snapshot.memory.removeAll { $0.addressRange.overlaps(range) }
        }

        /// What the handler saves of such a module: the headers, and the unwind tables.
        mutating func captureTables() {
            let bias = image.loadBias(in: snapshot.modules[program])
            for name in ["", ".eh_frame_hdr", ".eh_frame"] {
                let section = image.section(named: name)
                guard name.isEmpty || section != nil else { continue }
                let address = name.isEmpty ? image.lowestAddress() ?? 0 : section?.address ?? 0
                let bytes =
                    name.isEmpty
                    ? image.bytes.slice(from: 0, length: 64 + 56 * image.segments.count)
                    : section.map { image.contents(of: $0) } ?? .empty
                snapshot.memory.append(MemoryRegion(address: address &+ bias, bytes: bytes))
            }
        }

        func unwind() throws -> Backtrace {
            try #require(StackUnwinder(snapshot: snapshot, images: images).unwindException())
        }
    }

    @Test(
        "Its unwind tables in the dump lead to every caller",
        arguments: ["recursion", "qsort", "signal", "abort"])
    func tables(way: String) throws {
        var crash = try Crash(["-O2", "-fomit-frame-pointer"], way)
        #expect(try crash.unwind().frames.map(\.instructionPointer) != crash.truth)
        crash.captureTables()
        // The program headers show where the file would have been loaded.
        crash.snapshot.modules[crash.program].loadBias = nil
        let backtrace = try crash.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == crash.truth)
        #expect(
            backtrace.frames.dropFirst().allSatisfy {
                $0.foundBy == .unwindTable || $0.foundBy == .signalContext
            })
        #expect(backtrace.end == .reachedEnd)
    }

    @Test("So do those of a program without a search table", arguments: ["recursion", "qsort"])
    func withoutSearchTable(way: String) throws {
        var crash = try Crash(["-O2", "-fomit-frame-pointer", "-Wl,--no-eh-frame-hdr"], way)
        crash.captureTables()
        let backtrace = try crash.unwind()
        #expect(backtrace.frames.map(\.instructionPointer) == crash.truth)
        #expect(backtrace.end == .reachedEnd)
        // Bytes that are not a section from its start to its end are none.
        for change in [\MemoryRegion.bytes.withoutFirst, \.bytes.withoutLast] {
            var cut = crash
            let last = cut.snapshot.memory.count - 1
            cut.snapshot.memory[last].bytes = cut.snapshot.memory[last][keyPath: change]
            #expect(try cut.unwind().frames.dropFirst().contains { $0.foundBy == .stackGuess })
        }
    }

    @Test(
        "Damaged tables in a dump lead nowhere, and to no harm",
        arguments: [[], ["-Wl,--no-eh-frame-hdr"]])
    func damagedTables(flags: [String]) throws {
        var crash = try Crash(["-O2", "-fomit-frame-pointer"] + flags, "qsort")
        crash.captureTables()
        let regions = crash.snapshot.memory.suffix(flags.isEmpty ? 3 : 2)
        var random = SplitMix(state: 7)
        for _ in 0..<300 {
            let index = regions.indices.randomElement(using: &random) ?? 0
            var bytes = regions[index].bytes.array
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                    1
                    << UInt8.random(in: 0..<8, using: &random)
            }
            crash.snapshot.memory[index].bytes = ByteSlice(bytes)
            let frames = try crash.unwind().frames
            #expect(frames.first?.instructionPointer == crash.truth.first)
            #expect(frames.count < 1_000)
            crash.snapshot.memory[index] = regions[index]
        }
    }

    @Test(
        "Without its tables callers in it are possible, and none elsewhere is invented",
        arguments: ["recursion", "qsort", "abort"])
    func guesses(way: String) throws {
        let crash = try Crash(["-O2", "-fomit-frame-pointer"], way)
        let frames = try crash.unwind().frames
        let inProgram = frames.filter { $0.moduleIndex == crash.program }.dropFirst()
        #expect(inProgram.contains { $0.foundBy == .stackGuess })
        #expect(inProgram.allSatisfy { $0.foundBy != .stackScan })
        // What tables find behind a guess is as sure as it.
        let first = try #require(frames.firstIndex { $0.foundBy == .stackGuess })
        #expect(frames[first...].allSatisfy { $0.foundBy == .stackGuess })
        let sure = frames.filter { $0.foundBy != .stackGuess }.map(\.instructionPointer)
        #expect(sure.allSatisfy(crash.truth.contains))
        // Every caller is there, if perhaps among others that only look like one.
        #expect(Set(crash.truth).isSubset(of: Set(frames.map(\.instructionPointer))))
    }

    @Test("What was at its path at the crash tells a replacement from one that came later")
    func sentences() throws {
        func sentence(_ state: ModuleSnapshot.FileState?, _ problem: ImageProblem) -> String? {
            var snapshot = ProcessSnapshot(architecture: .x86_64)
            var module = ModuleSnapshot(
                path: "/srv/d", addressRange: 0x1000..<0x2000, kind: .executable)
            module.fileState = state
            snapshot.modules = [module]
            let images = EvidencedImages(Fixed(problem: problem), for: snapshot)
            return images.images(for: module).problem?.description
        }
        let other = ImageProblem.buildIDDiffers(path: "/srv/d", expected: [1], found: [2])
        let ids = ": its build id is 02, the process had 01"
        #expect(sentence(.same, other) == "/srv/d was replaced after the crash" + ids)
        #expect(sentence(.replaced, other) == "/srv/d was replaced while it ran" + ids)
        #expect(
            sentence(.deleted, other)
                == "/srv/d was deleted while it ran, and another file came after the crash" + ids)
        #expect(sentence(nil, other) == "/srv/d is not the file that was loaded" + ids)
        let gone = ImageProblem.notFound(path: "/srv/d")
        #expect(sentence(.same, gone) == "/srv/d was deleted after the crash")
        #expect(sentence(.deleted, gone) == "/srv/d was deleted while it ran")
        #expect(sentence(nil, gone) == "/srv/d was not found")
        #expect(
            sentence(.lost, gone)
                == "/srv/d was deleted while it ran, or replaced by a file that is gone, too")
        #expect(
            sentence(.lost, other)
                == "/srv/d was deleted or replaced while it ran, and another file is there now"
                + ids)
    }

    private struct Fixed: ELFImageSource {
        let problem: ImageProblem
        func images(for module: ModuleSnapshot) -> ModuleImages { ModuleImages(problem: problem) }
    }
}

extension ByteSlice {
    fileprivate var withoutFirst: ByteSlice { slice(from: 4) }
    fileprivate var withoutLast: ByteSlice { slice(from: 0, length: count - 4) }
}
