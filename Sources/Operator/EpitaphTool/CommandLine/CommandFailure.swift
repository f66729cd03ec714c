// SPDX-License-Identifier: Apache-2.0

/// The program's exit statuses, as docs/dump-convert.md lists them.
enum ExitStatus: Int32, Sendable {
    case success = 0
    /// Some of the work, or all of it, could not be done; standard error says what and why.
    case incomplete = 1
    /// The command line is wrong.
    case usage = 2
    /// The database, file or report named on the command line does not exist or cannot be opened.
    case notFound = 3
    /// The program that was to be run cannot be executed; as env(1).
    case notExecutable = 126
    /// There is no such program; as env(1).
    case noProgram = 127
}

/// A command that could not do its work.
struct CommandFailure: Error {
    let status: ExitStatus
    /// What is wrong, where, and what to do about it; without "dump-convert:" in front.
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}

/// What is wrong with a command line, as a phrase without a full stop.
struct UsageError: Error {
    let phrase: String

    init(_ phrase: String) {
        self.phrase = phrase
    }
}
