// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// Why Epitaph did not do what the program asked for.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// What a program can act on.
        public enum Kind: Sendable {
            /// Epitaph does not run in this process: it was not started, could not start, or was
            /// stopped.
            case notStarted
            /// Epitaph runs in this process already.
            case alreadyStarted
            /// An argument or an option is missing or wrong.
            case invalidArgument
            /// There are as many as there can be, or there were too many within a minute.
            case limitReached
            /// The options do not allow it.
            case notAllowed
            /// The program has more rights than the user who runs it, and the options do not allow
            /// that.
            case secureExecution
            /// A debugger is attached, and the options do not allow that.
            case debuggerAttached
            /// The process is a child of fork(2), and what was asked for belongs to its parent.
            case inForkedChild
            /// A file or the database cannot be made, read or written.
            case file
            /// The system refused memory, a thread, a file descriptor or a signal handler.
            case system
            /// This process cannot do it.
            case impossible
        }

        /// What a program can act on.
        public let kind: Kind
        /// One sentence without a full stop that names the option, file or name, and the reason.
        public let description: String
        /// errno(3), or 0 if no system call failed.
        public let errorNumber: Int32

        package init(_ kind: Kind, _ description: String, errorNumber: Int32 = 0) {
            self.kind = kind
            self.description = description
            self.errorNumber = errorNumber
        }

        /// Of everything that needs a started Epitaph.
        package static let notStarted = Refusal(.notStarted, "Epitaph has not been started")
    }
}
