// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphValues

/// What reads core files, and what the kernel and an operator say to their handler.
enum CoreParsers {
    /// A core is read, written as another, and that is read again: nothing may be lost on the way.
    static func core(_ bytes: ByteSlice) {
        let source = CoreBytes(bytes)
        guard let reader = try? CoreReader(source) else { return }
        let snapshot = reader.snapshot(source)
        guard let writer = try? CoreWriter(snapshot) else { return }
        var written = ByteBuilder()
        writer.write(to: &written)
        let again = CoreBytes(ByteSlice(written.bytes))
        guard let second = try? CoreReader(again).snapshot(again) else {
            fatalError("a core that was written cannot be read")
        }
        // Of two threads with one id, which no kernel writes, one is left.
        guard !second.threads.isEmpty || snapshot.threads.isEmpty else {
            fatalError("\(snapshot.threads.count) threads became none")
        }
    }

    /// The first line is the kernel's, the rest the settings.
    static func handler(_ bytes: ByteSlice) {
        let lines = bytes.text.split(
            separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        if let arguments = try? CoreArguments(words.map(String.init)) {
            _ = arguments.filled(in: bytes.text)
        }
        var settings = CoreHandlerSettings()
        _ = settings.read(bytes.array)
        let entries = CoreRateFile.entries(bytes.array)
        let next = CoreRate.Entry(timeSeconds: 1, userID: 0, program: "x")
        _ = settings.rate.refusal(of: next, after: entries)
        let kept = settings.rate.recording(next, after: entries)
        guard CoreRateFile.entries(CoreRateFile.bytes(kept)).count == kept.count else {
            fatalError("the history lost an entry")
        }
    }
}
