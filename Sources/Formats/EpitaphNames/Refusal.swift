// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// Why Epitaph did not do what the program asked for.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        public enum Kind: Sendable {
            /// Epitaph is not running: never started, failed to start, or stopped.
            case notStarted
            case alreadyStarted
            /// An argument or an option is missing or wrong.
            case invalidArgument
            /// A limit on number or rate is reached.
            case limitReached
            case notAllowed
            /// The program has more rights than its user, and the options do not allow that.
            case secureExecution
            /// A debugger is attached, and the options do not allow that.
            case debuggerAttached
            /// The process is a forked child, and the request concerns its parent.
            case inForkedChild
            /// A file or the database cannot be made, read or written.
            case file
            /// The system refused memory, a thread, a file descriptor or a signal handler.
            case system
            /// Impossible in this process.
            case impossible
        }

        public let kind: Kind
        /// A sentence without a full stop: the option, file or name, and the reason.
        public let description: String
        /// errno(3), or 0 if no system call failed.
        public let errorNumber: Int32

        package init(_ kind: Kind, _ description: String, errorNumber: Int32 = 0) {
            self.kind = kind
            self.description = description
            self.errorNumber = errorNumber
        }

        package static let notStarted = Refusal(.notStarted, "Epitaph has not been started")
    }
}
