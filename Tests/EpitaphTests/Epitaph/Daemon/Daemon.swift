// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization

/// A running example daemon; killed when the value goes.
final class Daemon: Sendable {
    let processID: Int32
    let port: UInt16
    private let outputPath: String
    private let hasEnded = Atomic(false)

    deinit {
        guard !hasEnded.load(ordering: .relaxed) else { return }
        _ = Subprocess.wait(for: processID, deadlineSeconds: 0)
    }

    /// - Parameters:
    ///   - database: where it keeps its reports.
    ///   - directory: where its output goes.
    ///   - flags: further arguments.
    ///   - environment: what an operator chose.
    ///   - running: arguments that run the program in other surroundings, as the same process.
    init(
        database: String, in directory: TemporaryDirectory, flags: [String] = [],
        environment: [String: String] = [:], running: ([String]) -> [String] = { $0 }
    ) throws {
        let output = directory.path("daemon-\(Epitaph.ID().description.uppercased())")
        outputPath = output
        // What other tests do to the machine's memory is none of this one's, unless it asks for it.
        let variables = ["EPITAPH_MEMORY": "none"].merging(environment) { $1 }
        processID = try Subprocess.spawn(
            running([Products.executable("example-daemon"), "0", database] + flags),
            environment: variables, output: output, error: output)
        var found: UInt16?
        let listens = eventually(withinSeconds: 60) {
            found = Self.port(in: Self.text(output))
            return found != nil
        }
        port = found ?? 0
        guard listens else { throw Silent(output: Self.text(output)) }
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// The line that says so; what an earlier launch noted has other lines.
    private static func place(in text: String) -> Range<String.Index>? {
        let words = "listening on port "
        if text.hasPrefix(words) { return text.range(of: words) }
        guard let range = text.range(of: "\n" + words) else { return nil }
        return text.index(after: range.lowerBound)..<range.upperBound
    }

    private static func port(in text: String) -> UInt16? {
        guard let range = place(in: text),
            let end = text[range.upperBound...].firstIndex(of: "\n")
        else { return nil }
        return UInt16(text[range.upperBound..<end])
    }

    /// Everything it has printed so far.
    var output: String { Self.text(outputPath) }

    /// What it printed before it listened.
    var greeting: String {
        let output = output
        guard let range = Self.place(in: output) else { return output }
        return String(output[..<range.lowerBound])
    }

    /// Ends it, by force if necessary, and returns how it ended.
    func wait() -> Subprocess.Ending {
        defer { hasEnded.store(true, ordering: .relaxed) }
        return Subprocess.wait(for: processID, deadlineSeconds: 20)
    }

    struct Silent: Error {
        let output: String
    }
}
