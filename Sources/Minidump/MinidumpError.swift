// SPDX-License-Identifier: Apache-2.0

/// Why bytes cannot be shown as a minidump at all.
public enum MinidumpError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Something else, or the beginning is missing.
    case notAMinidump(reason: String)
    /// A minidump of which nothing is left that could be shown.
    case beyondRepair(reason: String)

    public var description: String {
        switch self {
        case .notAMinidump(let reason): "not a minidump: \(reason)"
        case .beyondRepair(let reason): "a minidump damaged beyond use: \(reason)"
        }
    }
}
