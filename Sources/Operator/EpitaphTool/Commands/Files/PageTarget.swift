// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// The target of a page: a file that appears when complete, or standard output.
enum PageTarget {
    case standardOutput
    case file(OutputFile)

    /// Fails if nothing could be written there.
    ///
    /// - Parameters:
    ///   - path: `-` is standard output.
    ///   - replaces: whether an existing file is replaced.
    ///   - source: what is read, which is not replaced.
    init(_ path: String, replaces: Bool, source: String? = nil) throws(CommandFailure) {
        guard path != "-" else {
            self = .standardOutput
            return
        }
        let file = try OutputFile(path, existing: replaces ? .replace : .refuse, source: source)
        try file.check()
        self = .file(file)
    }

    func write(_ pieces: [String], _ output: Output) throws(CommandFailure) {
        switch self {
        case .standardOutput:
            for piece in pieces { output.write(Array(piece.utf8)) }
            output.print()
        case .file(let file):
            try file.fill { sink throws(SystemError) in
                for piece in pieces { try sink.append(Array(piece.utf8)) }
            }
        }
    }
}
