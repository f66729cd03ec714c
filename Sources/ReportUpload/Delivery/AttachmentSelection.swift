// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReportDatabase

extension OutgoingContent {
    /// Bytes; nil for a file that cannot be opened.
    public var sizeBytes: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let path): (try? BodyFile(opening: path))?.size
        case .reader(let reader): reader.byteCount
        }
    }
}

extension OutgoingReport {
    /// Takes out the attachments that are too large or cannot be opened.
    ///
    /// - Returns: why each of them went.
    mutating func leaveOutAttachments(over limitBytes: Int) -> [AttachmentProblem] {
        var problems: [AttachmentProblem] = []
        attachments.removeAll { attachment in
            guard let problem = attachment.problem(limitBytes: limitBytes) else { return false }
            problems.append(problem)
            return true
        }
        return problems
    }
}

extension OutgoingAttachment {
    fileprivate func problem(limitBytes: Int) -> AttachmentProblem? {
        let size: Int
        switch content {
        case .bytes(let bytes): size = bytes.count
        case .reader(let reader): size = reader.byteCount
        case .file(let path):
            do throws(TransportError) {
                size = try BodyFile(opening: path).size
            } catch {
                guard case .bodyUnreadable(let reason) = error else { return nil }
                return .unreadable(name: name, reason: reason)
            }
        }
        guard size > limitBytes else { return nil }
        return .tooLarge(name: name, sizeBytes: size, limitBytes: limitBytes)
    }
}
