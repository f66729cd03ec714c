// SPDX-License-Identifier: Apache-2.0

/// How large an attachment may be.
public enum AttachmentLimit {
    /// 7 MiB, which collectors that limit attachments take.
    public static let defaultBytes = 7 << 20
}

/// Why an attachment does not go with a report.
public enum AttachmentProblem: Error, Sendable, Equatable, CustomStringConvertible {
    case tooLarge(name: String, sizeBytes: Int, limitBytes: Int)
    /// A sentence that names the file.
    case unreadable(name: String, reason: String)

    public var description: String {
        switch self {
        case .tooLarge(let name, let size, let limit):
            "\(name) is not attached: it has \(size) bytes, and an attachment may have \(limit)"
        case .unreadable(let name, let reason):
            "\(name) is not attached: \(reason)"
        }
    }
}
