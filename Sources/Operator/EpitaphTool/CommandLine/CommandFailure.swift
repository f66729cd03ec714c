// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

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

struct CommandFailure: Error, CustomStringConvertible {
    let status: ExitStatus
    /// The problem, its place and the remedy; without the prefix "dump-convert:".
    let sentence: String
    var description: String { sentence }

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ phrase: String) {
        description = phrase
    }
}

/// The value, or a failure of the command in the words of the error.
///
/// - Parameter problem: in front of them.
func orFail<Value>(
    saying problem: String = "", _ value: @autoclosure () throws -> Value
) throws(CommandFailure) -> Value {
    do {
        return try value()
    } catch {
        throw CommandFailure(.incomplete, "\(problem)\(error)")
    }
}

/// The value, or a failure of the command for the system's reason: the problem names the file.
func orReason<Value>(
    _ status: ExitStatus, _ problem: String, _ value: @autoclosure () throws(SystemError) -> Value
) throws(CommandFailure) -> Value {
    try rethrowing(try value()) { (error: SystemError) in
        CommandFailure(status, "\(problem): \(error.reason)")
    }
}

/// The value, or how the command is used.
func orMisuse<Value>(
    of command: CommandDescription, _ value: @autoclosure () throws -> Value
) throws(CommandFailure) -> Value {
    do {
        return try value()
    } catch {
        throw CommandFailure(usage: "\(error)", of: command)
    }
}
