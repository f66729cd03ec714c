// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Why crashes of this process will not be recorded.
    public struct StartError: Error, CustomStringConvertible {
        /// What kind of obstacle there was.
        public enum Kind: Sendable {
            /// An option is missing or wrong.
            case invalidOption
            /// Epitaph runs in this process already.
            case alreadyStarted
            /// The database or the dump file could not be made.
            case file
            /// The system refused memory or a signal handler.
            case system
            /// The program has more rights than the user who runs it, and the options do not allow
            /// that.
            case secureExecution
            /// A debugger is attached, and the options do not allow that.
            case debuggerAttached
        }

        /// What kind of obstacle there was.
        public let kind: Kind
        /// A sentence that names the option or file and the reason.
        public let description: String
        /// errno(3), or 0 when no system call failed.
        public let errorNumber: Int32

        init(_ status: epitaph_status, _ error: epitaph_error) {
            kind =
                switch status {
                case EPITAPH_ALREADY_STARTED: .alreadyStarted
                case EPITAPH_FILE_ERROR: .file
                case EPITAPH_SYSTEM_ERROR: .system
                case EPITAPH_SECURE_EXECUTION: .secureExecution
                case EPITAPH_DEBUGGER_ATTACHED: .debuggerAttached
                default: .invalidOption
                }
            errorNumber = error.error_number
            description = error.sentence
        }
    }
}
