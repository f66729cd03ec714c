// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Why an event log cannot do its work.
public enum EventError: Error, Sendable, Equatable {
    /// A system call failed.
    case system(SystemError)
    /// The log was started before and is stopped for good.
    case stopped
    /// This process is a forked child: the log belongs to its parent. Make one of its own.
    case ofParent
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

/// Runs a system call's wrapper and makes its error this module's.
func attempt<Value>(_ body: () throws(SystemError) -> Value) throws(EventError) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .system(error)
    }
}
