// SPDX-License-Identifier: Apache-2.0

import Bytes
import DumpConversion
import EpitaphCapture
import FoundationEssentials
import ReportDatabase
import Snapshot

/// What an earlier launch noted before it ended, from its breadcrumb file.
public struct EarlierBreadcrumbs: Sendable {
    /// One of them.
    public struct Note: Sendable, Equatable {
        /// When it was noted, by the clock of the time of day.
        public let time: Date
        /// How serious it was; C has the same as `EPITAPH_LEVEL_…`.
        public let level: BreadcrumbLevel
        /// What it was about; empty for nothing.
        public let category: String
        /// What was noted.
        public let message: String
        /// Whether it was longer.
        public let isCut: Bool
    }

    /// The oldest first.
    public let notes: [Note]
    /// Places where a breadcrumb is missing, because it was being written at the end.
    public let tornCount: Int
    /// Breadcrumbs that the program could not put into the file.
    public let droppedCount: Int

    init(_ file: BreadcrumbFile) {
        notes = file.breadcrumbs.map { breadcrumb in
            Note(
                time: Date(
                    timeIntervalSince1970: Double(breadcrumb.timeNanoseconds / 1000) / 1_000_000),
                level: BreadcrumbLevel(breadcrumb.level), category: breadcrumb.category,
                message: breadcrumb.message, isCut: breadcrumb.isCut)
        }
        tornCount = file.tornCount
        droppedCount = Int(clamping: file.droppedCount)
    }
}

extension BreadcrumbLevel {
    fileprivate init(_ level: Breadcrumb.Level) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        case .fatal: self = .fatal
        }
    }
}

extension CrashReporter {
    /// What an earlier launch noted before it ended, also where it was killed or the machine lost
    /// its power. Nil for one that kept no breadcrumb file, or ended well, or of which the file is
    /// not kept any more.
    ///
    /// - Throws: a sentence about a file that cannot be read, or the database's error.
    public func breadcrumbs(
        of launch: EarlierLaunch
    ) throws(EarlierBreadcrumbsError) -> EarlierBreadcrumbs? {
        let bytes: ByteSlice?
        do throws(DatabaseError) {
            bytes = try withDatabase { (database) throws(DatabaseError) in
                try database.breadcrumbFile(of: launch.recorded, bundleID: bundleID)
            }
        } catch {
            throw EarlierBreadcrumbsError(description: error.description)
        }
        guard let bytes else { return nil }
        do throws(BreadcrumbFileError) {
            return EarlierBreadcrumbs(try BreadcrumbFile(bytes))
        } catch {
            throw EarlierBreadcrumbsError(
                description: "the breadcrumbs of the launch cannot be read: \(error)")
        }
    }
}

/// Why the breadcrumbs of an earlier launch cannot be had.
public struct EarlierBreadcrumbsError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
}
