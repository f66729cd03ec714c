// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

/// ELF files, tables and snapshots with random damage: whatever comes out, it comes to an end, and
/// each frame is where code is.
struct CorruptImageTests {
    /// Gives one file, whatever its bytes, for the program, and the machine's own for the rest.
    private struct Replaced: ELFImageSource {
        let path: String
        let image: ELFImage
        let installed = InstalledImages()

        func images(for module: ModuleSnapshot) -> ModuleImages {
            guard module.path == path else { return installed.images(for: module) }
            return ModuleImages(code: LocatedImage(image: image, path: path))
        }
    }

    private struct Chance {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(limit, 1)
        }
    }

    private func check(_ backtrace: Backtrace, of snapshot: ProcessSnapshot) {
        let mappings = snapshot.files.maps.map { MemoryMapping.parse($0).mappings } ?? []
        let code = mappings.filter(\.isExecutable).map(\.addressRange)
        #expect(backtrace.frames.count <= StackUnwinder.crashFrameLimit)
        // A signal may interrupt a jump to where no code is.
        for frame in backtrace.frames.dropFirst() where frame.foundBy != .signalContext {
            #expect(code.contains { $0.contains(frame.lookupAddress) })
        }
    }

    @Test(
        "Damaged call frame information ends in a backtrace, never in a trap",
        arguments: [
            ["-O2"], ["-O2", "-Wl,--no-eh-frame-hdr"],
            ["-O2", "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"],
        ])
    func damagedTables(options: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(options, in: directory)
        let debugged = try DebuggedProgram(running: [program, "qsort"], in: directory)
        let bytes = try FileBytes.contents(of: program).array
        let image = try ELFImage(ByteSlice(bytes))
        let targets =
            [".eh_frame", ".eh_frame_hdr", ".debug_frame"].compactMap {
                image.section(named: $0)
            }.map { Int($0.fileOffset)..<Int($0.fileOffset + $0.size) } + [0..<64 + 13 * 56]
        var chance = Chance(state: 20_240)
        for _ in 0..<Sweep.count(100, oneOf: 5) {
            var damaged = bytes
            let target = targets[chance.next(below: targets.count)]
            for _ in 0...chance.next(below: 6) {
                let offset = target.lowerBound + chance.next(below: target.count)
                damaged[offset] = UInt8(chance.next(below: 256))
            }
            guard let file = try? ELFImage(ByteSlice(damaged)) else { continue }
            let unwinder = StackUnwinder(
                snapshot: debugged.snapshot, images: Replaced(path: program, image: file))
            check(try #require(unwinder.unwindException()), of: debugged.snapshot)
        }
    }

    @Test("Modules that lie over each other and words that lead in circles end somewhere")
    func damagedSnapshot() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O1"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "signal"], in: directory)
        let images = InstalledImages()
        let stack = try #require(debugged.snapshot.threads.first?.stack)
        var chance = Chance(state: 815)
        for round in 0..<Sweep.count(100, oneOf: 5) {
            var snapshot = debugged.snapshot
            if round % 2 == 0 {
                let index = chance.next(below: snapshot.modules.count)
                let other = snapshot.modules[chance.next(below: snapshot.modules.count)]
                snapshot.modules[index].addressRange = other.addressRange
                snapshot.modules[index].loadBias = UInt64(chance.next(below: 1 << 30))
            }
            var bytes = stack.bytes.array
            for _ in 0..<chance.next(below: 60) {
                // Mostly a pointer into the stack itself, or a copy of another word.
                let target = chance.next(below: bytes.count / 8 - 1) * 8
                let source = chance.next(below: bytes.count / 8 - 1) * 8
                let pointer = stack.address + UInt64(source)
                let isCopy = chance.next(below: 2) == 0
                for index in 0..<8 {
                    bytes[target + index] =
                        isCopy ? bytes[source + index] : UInt8(pointer >> (index * 8) & 0xff)
                }
            }
            snapshot.threads[0].stack = MemoryRegion(
                address: stack.address, bytes: ByteSlice(bytes))
            let unwinder = StackUnwinder(snapshot: snapshot, images: images)
            check(try #require(unwinder.unwindException()), of: snapshot)
        }
    }
}
