// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

extension FieldReader {
    /// More are in no dump of ours: EPITAPH_ATTACHMENT_LIMIT.
    private static let attachmentLimit = 32

    /// ATTACHMENTS: files that are to go with the report. One without a path that begins with a
    /// slash is left out.
    mutating func attachments(_ root: DumpMap) -> [NamedFile] {
        let all = elements(.attachments, in: root) { (map, fields) -> NamedFile? in
            guard let path = fields.text(.attachmentPath, in: map), path.hasPrefix("/") else {
                return nil
            }
            return NamedFile(path: path, name: fields.text(.attachmentName, in: map) ?? "")
        }
        return Array(all.prefix(Self.attachmentLimit))
    }
}
