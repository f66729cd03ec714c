// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

extension Epitaph {
    /// The breadcrumbs of an earlier launch, from its breadcrumb file.
    public struct EarlierBreadcrumbs: Sendable {
        /// One breadcrumb.
        public struct Note: Sendable, Equatable {
            /// When it was recorded, by the wall clock.
            public let time: Timestamp
            /// How serious it was; in C, `EPITAPH_LEVEL_…`.
            public let level: Epitaph.Level
            /// What it was about; may be empty.
            public let category: String
            /// The message.
            public let message: String
            /// Whether the message was longer.
            public let isCut: Bool
        }

        /// The breadcrumbs, the oldest first.
        public let notes: [Note]
        /// How many breadcrumbs are missing because they were being written when the launch ended.
        public let tornCount: Int
        /// How many breadcrumbs the program could not write to the file.
        public let droppedCount: Int

        init(_ file: BreadcrumbFile) {
            notes = file.breadcrumbs.map { breadcrumb in
                Note(
                    time: Timestamp(
                        secondsSince1970: Double(breadcrumb.timeNanoseconds / 1000) / 1_000_000),
                    level: Epitaph.Level(breadcrumb.level), category: breadcrumb.category,
                    message: breadcrumb.message, isCut: breadcrumb.isCut)
            }
            tornCount = file.tornCount
            droppedCount = Int(clamping: file.droppedCount)
        }
    }
}

extension Epitaph.Level {
    fileprivate init(_ level: Breadcrumb.Level) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        case .fatal: self = .critical
        }
    }
}

extension CrashReporter {
    package func breadcrumbs(
        of launch: EarlierLaunch
    ) throws(DatabaseError) -> EarlierBreadcrumbs? {
        let bytes = try withDatabase { (database) throws(DatabaseError) in
            try database.breadcrumbFile(of: launch.recorded, bundleID: bundleID)
        }
        guard let bytes else { return nil }
        do throws(BreadcrumbFileError) {
            return EarlierBreadcrumbs(try BreadcrumbFile(bytes))
        } catch {
            throw .broken(
                path: databasePath, reason: "the breadcrumbs of the launch cannot be read: \(error)"
            )
        }
    }
}
