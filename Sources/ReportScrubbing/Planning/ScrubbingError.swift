// SPDX-License-Identifier: Apache-2.0

/// Why a minidump cannot be scrubbed. It must not be sent then.
public enum ScrubbingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It cannot be read.
    case unreadable(reason: String)
    /// Something to be removed shares its bytes with something the file needs.
    case overlap(offset: Int)
    /// There is more of something than any sane minidump has.
    case tooMuch(String)

    public var description: String {
        let reason =
            switch self {
            case .unreadable(let reason): reason
            case .overlap(let offset):
                "its parts lie over each other at offset 0x\(String(offset, radix: 16)), and what "
                    + "is to be removed cannot be told from what is to stay"
            case .tooMuch(let what): "it has \(what)"
            }
        return "the minidump cannot be scrubbed and is not sent: \(reason)"
    }
}
