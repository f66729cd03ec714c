// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphIntermediateDump
import EpitaphMinidump

/// `dump-convert show --raw`: the structure of a file.
enum RawText {
    /// Prints everything in an intermediate dump. If it cannot be decoded, prints the reason, too.
    static func print(_ found: FoundBytes, to output: Output) throws(CommandFailure) {
        guard found.core == nil else {
            throw CommandFailure(
                .incomplete,
                "--raw shows dumps and minidumps; \"readelf -ln\" shows what \(found.path) consists of"
            )
        }
        guard found.isIntermediateDump else {
            if case .minidump(let minidump) = try InputFile(found) { print(minidump, to: output) }
            return
        }
        DumpTree(reading: found.bytes).forEachLine { output.print($0) }
        do throws(IntermediateDumpError) {
            _ = try IntermediateDump(found.bytes)
        } catch {
            output.note("\(found.path): \(error)")
        }
    }

    private static func print(_ minidump: MinidumpContents, to output: Output) {
        output.print("minidump, \(minidump.streams.count) streams")
        let width = minidump.streams.map { $0.type.description.count }.max() ?? 0
        for stream in minidump.streams where output.isOpen {
            let name = stream.type.description.padded(to: width)
            output.print("  \(name)  \(stream.byteCount) bytes")
        }
        for damage in minidump.readingDamage {
            output.print("damage: \(TerminalText.line(damage.sentence))")
        }
    }
}
