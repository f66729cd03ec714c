// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

extension OutgoingContent {
    /// In bytes; nil for a file that cannot be opened.
    public var sizeBytes: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): file.size
        case .reader(let reader): reader.byteCount
        case .unreadable: nil
        }
    }
}

extension OutgoingReport {
    /// Removes attachments that are too large or cannot be opened. Returns why.
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
        if case .unreadable(let reason) = content { return .unreadable(name: name, reason: reason) }
        let size = content.sizeBytes ?? 0
        guard size > limitBytes else { return nil }
        return .tooLarge(name: name, sizeBytes: size, limitBytes: limitBytes)
    }
}
