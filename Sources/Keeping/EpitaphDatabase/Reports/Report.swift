// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Where a report is in its life; also the name of its directory.
    package enum ReportState: String, Sendable, CaseIterable {
        /// It waits to be uploaded.
        case pending
        /// It was uploaded, or will not be.
        case completed
    }
}

extension Epitaph {
    /// A filed report: a minidump and what is known about its upload.
    package struct Report: Sendable, Equatable {
        /// The report's id, which is also its minidump's name.
        package let uuid: Epitaph.ID
        /// Pending or completed.
        package let state: ReportState
        /// Path of the minidump, beginning with the path by which the database was opened.
        package let path: String
        /// When it was filed, in whole seconds.
        package let creationTime: Timestamp
        /// When the process crashed, according to its minidump, to the microsecond if it has that;
        /// nil if it does not say.
        package let crashTime: Timestamp?
        /// Its place among other reports, by the time of the crash as far as that is credible.
        package let order: ReportOrder
        /// How often an upload was begun.
        package let uploadAttempts: Int
        /// To the second; nil if there was no attempt.
        package let lastUploadAttemptTime: Timestamp?
        /// Whether the server has the report.
        package let isUploaded: Bool
        /// Whether a person requested this upload: it takes precedence over policies.
        package let isUploadRequested: Bool
        /// What the server called it, safe to print; empty before an upload.
        package let serverID: String
        /// Of the minidump and its attachments.
        package let sizeBytes: Int
        /// Changes if the minidump is replaced or its contents change.
        package let minidumpStamp: FileStamp
        /// Whether another process is working on it, for example uploading it.
        package let isLocked: Bool
        /// Nil if the report's metadata is sound. Otherwise a sentence about it; the times are then
        /// those of the files, and nothing is known about uploads.
        package let metadataProblem: String?
    }
}

extension Epitaph {
    /// A piece of a report that cannot be used. It stays where it is.
    package struct ReportProblem: Sendable, Equatable {
        /// The path of the piece.
        package let path: String
        /// What is wrong, as a sentence that names the file.
        package let sentence: String
    }
}

extension Epitaph {
    /// The reports of one state, or of all, the oldest crash first, and files that look like
    /// reports but are not.
    package struct ReportList: Sendable, Equatable {
        /// In the order of their crashes.
        package var reports: [Report] = []
        /// What looks like a report but cannot be used.
        package var problems: [ReportProblem] = []

        package init() {}
    }
}

extension Epitaph.ID {
    /// The name of the report's files without their extension: lower case, as Crashpad writes it.
    var fileStem: String { description }

    /// Reverses `fileStem`; nil for any other spelling.
    init?(fileStem: some StringProtocol) {
        self.init(String(fileStem))
        guard self.fileStem == fileStem else { return nil }
    }

    var minidumpName: String { fileStem + ".dmp" }
    var metadataName: String { fileStem + ".meta" }
    var lockName: String { fileStem + ".lock" }
}

extension Timestamp {
    /// time_t as stored in the files; 0 for a date out of its range.
    var wholeSeconds: Int64 { Int64(exactly: secondsSince1970.rounded(.down)) ?? 0 }

    init(wholeSeconds: Int64) {
        self.init(secondsSince1970: Double(wholeSeconds))
    }
}

extension Report {
    /// What a server calls a report, in the form that is stored and shown: one line of at most 256
    /// characters. A server may send anything, even whole pages and terminal control sequences;
    /// control and format characters become spaces.
    package static func plainServerID(_ text: String) -> String {
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(256)))
        let line = start.printable { _ in " " }
        return String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
