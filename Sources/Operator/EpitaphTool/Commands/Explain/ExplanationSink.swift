// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Takes what became of each input, in the order in which it became known.
protocol ExplanationSink: AnyObject {
    /// Whether the input was dealt with by an earlier run.
    func has(_ input: String) -> Bool
    /// Whether there is still somebody who wants more.
    var isOpen: Bool { get }

    func accept(_ explained: Explained) throws(CommandFailure)
    /// Called now and then while nothing comes.
    func tick() throws(CommandFailure)
    /// After the last one.
    func finish() throws(CommandFailure)
}

/// Where lines are written.
enum LineTarget {
    case standardOutput(Output)
    case file(LineFile)

    func write(_ line: [UInt8]) throws(CommandFailure) {
        switch self {
        case .standardOutput(let output):
            output.write(line + [UInt8(ascii: "\n")])
            // Whoever reads them may wait for each.
            output.flush()
        case .file(let file): try file.append(line)
        }
    }

    func has(_ input: String) -> Bool {
        if case .file(let file) = self { return file.done.contains(input) }
        return false
    }

    var isOpen: Bool {
        if case .standardOutput(let output) = self { return output.isOpen }
        return true
    }

    func finish() throws(CommandFailure) {
        if case .file(let file) = self { try file.synchronize() }
    }
}

/// Writes a line for each input as soon as it is known.
final class LineSink: ExplanationSink {
    private let target: LineTarget
    private let asRows: Bool

    init(_ target: LineTarget, asRows: Bool) {
        self.target = target
        self.asRows = asRows
    }

    var isOpen: Bool { target.isOpen }

    func has(_ input: String) -> Bool { target.has(input) }

    func accept(_ explained: Explained) throws(CommandFailure) {
        try target.write(explained.line(asRow: asRows))
    }

    func tick() {}

    func finish() throws(CommandFailure) { try target.finish() }
}
