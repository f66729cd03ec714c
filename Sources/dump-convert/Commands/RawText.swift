// SPDX-License-Identifier: Apache-2.0

import CrashReport
import IntermediateDump
import Minidump

/// `dump-convert show --raw`: what a file is made of.
enum RawText {
    static func print(_ file: InputFile, to output: Output) {
        switch file {
        case .intermediateDump(let dump): dump.tree.forEachLine { output.print($0) }
        case .minidump(let minidump): print(minidump, to: output)
        }
    }

    private static func print(_ minidump: MinidumpContents, to output: Output) {
        output.print("minidump, \(minidump.streams.count) streams")
        let width = minidump.streams.map { $0.type.description.count }.max() ?? 0
        for stream in minidump.streams where output.isOpen {
            let name = stream.type.description
            let padding = String(repeating: " ", count: width - name.count)
            output.print("  \(name)\(padding)  \(stream.byteCount) bytes")
        }
        for damage in minidump.readingDamage {
            output.print("damage: \(TerminalText.line(damage.sentence))")
        }
    }
}
