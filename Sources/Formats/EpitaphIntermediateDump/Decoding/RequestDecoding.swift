// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

extension FieldReader {
    /// REPORT_REQUEST; nil if missing, as in the dump of a crash.
    mutating func request(_ root: DumpMap) -> ReportRequest? {
        guard let map = map(.reportRequest, in: root) else { return nil }
        guard let number = integer(.reportKind, in: map, as: UInt8.self) else {
            note(.reportKind, in: map, "the dump does not say what kind of report it is")
            return nil
        }
        var request = ReportRequest(kind: ReportKind(number: number))
        request.subjectThreadID = integer(.reportSubject, in: map)
        request.subjectName = text(.reportSubjectName, in: map)
        let duration = integer(.reportDuration, in: map, as: UInt64.self)
        request.durationNanoseconds = duration == 0 ? nil : duration
        let scope = integer(.reportThreads, in: map, as: UInt8.self)
        request.includesAllThreads = scope != UInt8(EPITAPH_THREADS_SUBJECT.rawValue)
        request.isProvisional = flag(.reportIsProvisional, in: map)
        return request
    }
}

extension IntermediateDump {
    /// The request alone; nil for a crash, for only a launch record, or an unreadable dump.
    package static func request(of bytes: ByteSlice) -> ReportRequest? {
        switch try? outline(of: bytes) {
        case .crash, .liveDump: break
        default: return nil
        }
        let root = DumpTree(reading: bytes).root
        guard !root.keys.contains(.signalException) else { return nil }
        var fields = FieldReader()
        return fields.request(root)
    }

    /// The dump with another kind, if it has one; otherwise the same bytes.
    package static func replacingKind(of bytes: ByteSlice, with kind: ReportKind) -> ByteSlice {
        let root = DumpTree(reading: bytes).root
        guard let property = root.map(.reportRequest)?.property(.reportKind),
            property.payload.count == 1
        else { return bytes }
        var copy = bytes.array
        copy[property.offset + DumpProperty.headerSize] = kind.number
        return ByteSlice(copy)
    }
}

extension FieldReader {
    /// EPITAPH_ATTACHMENT_LIMIT: our dumps have no more.
    private static let attachmentLimit = 32

    /// ATTACHMENTS: files for the report. Skips those without an absolute path.
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
