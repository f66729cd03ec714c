// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Why an event log cannot work.
    public enum EventError: Error, Sendable, Equatable {
        /// A system call failed.
        case system(SystemError)
        /// The log was stopped; it cannot be started again.
        case stopped
        /// This process is a forked child, and the log belongs to its parent. Create another one.
        case ofParent
    }
}

extension EventError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .system(let error): "events cannot be recorded: \(error)"
        case .stopped: "the event log was stopped; make another one"
        case .ofParent:
            "the event log belongs to the parent of this process; make one of its own here"
        }
    }
}

/// Calls a wrapper of a system call and converts its error.
func attempt<Value>(_ body: () throws(SystemError) -> Value) throws(EventError) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .system(error)
    }
}
