// SPDX-License-Identifier: Apache-2.0

/// Something the program noted before the snapshot.
package struct Breadcrumb: Sendable, Equatable {
    /// From 1. The first that is left may have any number, and some are never used.
    package var number: UInt64
    /// Nanoseconds since 1970-01-01 00:00 UTC; the clock can be set.
    package var timeNanoseconds: UInt64
    /// As `ProcessFacts.uptimeNanoseconds`; nil if noted before the start of Epitaph.
    package var uptimeNanoseconds: UInt64?
    package var level: Level
    /// For example `http`; may be empty.
    package var category: String
    /// At most 256 bytes in dumps of this package.
    package var message: String
    /// The category or the message was longer, or attributes did not fit.
    package var isCut = false
    /// For example `navigation`; may be empty.
    package var kind = ""
    package var attributes: [Annotation] = []
    /// It was noted in the scope of the crashed task (or thread).
    package var isOfTask = false

    package enum Level: UInt8, Sendable, CaseIterable {
        case debug = 1
        /// EPITAPH_BREADCRUMB_INFO; also the default.
        case info = 2
        case warning = 3
        case error = 4
        case fatal = 5
    }

    package init(
        number: UInt64, timeNanoseconds: UInt64, uptimeNanoseconds: UInt64? = nil,
        level: Level = .info, category: String = "", message: String
    ) {
        self.number = number
        self.timeNanoseconds = timeNanoseconds
        self.uptimeNanoseconds = uptimeNanoseconds
        self.level = level
        self.category = category
        self.message = message
    }
}
