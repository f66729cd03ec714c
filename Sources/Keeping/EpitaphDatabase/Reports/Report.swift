// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// The name is that of the directory.
    package enum ReportState: String, Sendable, CaseIterable {
        case pending
        case completed
    }

    package struct Report: Sendable, Equatable {
        package let uuid: Epitaph.ID
        package var path: String { directoryPath + uuid.minidumpName }
        let directoryPath: String
        package let creationTime: Timestamp
        /// From the minidump, to the microsecond if known; nil if it does not say.
        package let crashTime: Timestamp?
        // A list may have a hundred thousand of these: what is small is stored together.
        package let state: ReportState
        package let isUploaded: Bool
        /// Whether a person requested this upload, which takes precedence over policies.
        package let isUploadRequested: Bool
        /// Whether another process is working on it, for example uploading it.
        package let isLocked: Bool
        package let uploadAttempts: Int
        /// In whole seconds; nil if there was none.
        package let lastUploadAttemptTime: Timestamp?
        /// The server's id, safe to print; empty before an upload.
        package let serverID: String
        package let sizeBytes: Int
        /// Changes with the minidump.
        package let minidumpStamp: FileStamp
        /// The time of its minidump.
        let written: Timestamp
        /// A sentence. The times are then those of the files, and no uploads are known.
        package let metadataProblem: String?

        /// By the time of the crash as far as that is credible.
        package var order: ReportOrder {
            ReportOrder(
                crashTime: crashTime, filed: creationTime, written: written, uuid: uuid)
        }
    }

    /// An unusable piece of a report. It is left alone.
    package struct ReportProblem: Sendable, Equatable {
        package let path: String
        /// A sentence that names the file.
        package let sentence: String
    }

    package struct ReportList: Sendable, Equatable {
        /// The oldest crash first.
        package var reports: [Report] = []
        package var problems: [ReportProblem] = []

        package init() {}
    }
}

extension Epitaph.ID {
    var fileStem: String { description }

    init?(fileStem: some StringProtocol) {
        // Capital letters would be another name.
        guard let id = Self(fileStem), id.description == fileStem else { return nil }
        self = id
    }

    var minidumpName: String { fileStem + ".dmp" }
    var metadataName: String { fileStem + ".meta" }
    var lockName: String { fileStem + ".lock" }
}

extension Timestamp {
    /// time_t as stored; 0 for a date out of its range.
    var wholeSeconds: Int64 { Int64(exactly: secondsSince1970.rounded(.down)) ?? 0 }

    init(wholeSeconds: Int64) {
        self.init(secondsSince1970: Double(wholeSeconds))
    }
}

extension Report {
    /// A server's id for a report: one line of at most 256 characters. A server may send whole
    /// pages and terminal control sequences; control and format characters become spaces.
    package static func plainServerID(_ text: String) -> String {
        guard !text.isEmpty else { return text }
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(256)))
        let line = start.printable { _ in " " }
        return String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
