// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

struct CorruptFileTests {
    /// Gives a program's damaged bytes out as if they were the file that was loaded.
    private struct DamagedImages: ELFImageSource {
        let path: String
        let bytes: ByteSlice

        func images(for module: ModuleSnapshot) -> ModuleImages {
            guard module.path == path, let image = try? ELFImage(bytes) else {
                return ModuleImages()
            }
            return ModuleImages(code: LocatedImage(image: image, path: path))
        }
    }

    @Test("Damaged unwind tables and debug information give fewer frames and no trap")
    func damagedImages() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O2", "-g", "-fomit-frame-pointer"], in: directory)
        let debugged = try DebuggedProgram(running: [program, "qsort"], in: directory)
        let whole = try FileBytes.contents(of: program)
        let image = try ELFImage(whole)
        var generator = SplitMix(state: 20_261_121)

        for name in [".eh_frame", ".eh_frame_hdr", ".debug_info", ".debug_line", ".debug_abbrev"] {
            let section = try #require(image.section(named: name))
            for _ in 0..<Sweep.count(150, oneOf: 5) {
                var bytes = whole.array
                for _ in 0...generator.next() % 3 {
                    let offset = section.fileOffset + generator.next() % section.size
                    bytes[Int(offset)] = UInt8(truncatingIfNeeded: generator.next())
                }
                let images = DamagedImages(path: program, bytes: ByteSlice(bytes))
                let unwinder = StackUnwinder(snapshot: debugged.snapshot, images: images)
                let backtrace = try #require(unwinder.unwindException())
                #expect(backtrace.frames.first == debugged.frames.first.map(sameFrame(backtrace)))
                #expect(backtrace.frames.count <= StackUnwinder.defaultFrameLimit)
                let symbolicator = Symbolicator(snapshot: debugged.snapshot, images: images)
                for frame in backtrace.frames.prefix(20) {
                    #expect(!symbolicator.symbolicate(frame).isEmpty)
                }
            }
        }
    }

    /// The innermost frame never depends on a table.
    private func sameFrame(_ backtrace: Backtrace) -> (DebuggedProgram.Frame) -> StackFrame? {
        { frame in
            backtrace.frames.first.flatMap {
                $0.instructionPointer == frame.instructionPointer ? $0 : nil
            }
        }
    }
}
