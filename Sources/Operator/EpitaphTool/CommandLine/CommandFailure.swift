// SPDX-License-Identifier: Apache-2.0

/// Exit statuses, as listed in docs/dump-convert.md.
enum ExitStatus: Int32, Sendable {
    case success = 0
    case incomplete = 1
    case usage = 2
    /// The named database, file or report does not exist or cannot be opened.
    case notFound = 3
    case alert = 4
    /// The program to run cannot be executed; as env(1).
    case notExecutable = 126
    /// The program to run does not exist; as env(1).
    case noProgram = 127
}

struct CommandFailure: Error {
    let status: ExitStatus
    /// The problem, its place and the remedy; without the prefix "dump-convert:".
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}

struct UsageError: Error {
    let phrase: String

    init(_ phrase: String) {
        self.phrase = phrase
    }
}
