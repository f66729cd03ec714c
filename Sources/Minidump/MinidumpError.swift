// SPDX-License-Identifier: Apache-2.0

/// Why bytes cannot be shown as a minidump at all.
public enum MinidumpError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Something else, or the beginning is missing.
    case notAMinidump(reason: String)
    /// A minidump of a processor this version has no registers for, for example `x86`.
    case unsupportedArchitecture(String)
    /// A minidump of which too little is left to tell even the processor.
    case beyondRepair(reason: String)

    public var description: String {
        switch self {
        case .notAMinidump(let reason): "not a minidump: \(reason)"
        case .unsupportedArchitecture(let name):
            "a minidump of \(name), which is not supported; x86_64 and aarch64 are"
        case .beyondRepair(let reason): "a minidump damaged beyond use: \(reason)"
        }
    }
}
