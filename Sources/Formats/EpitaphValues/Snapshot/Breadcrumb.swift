// SPDX-License-Identifier: Apache-2.0

/// Something that happened in the program before the snapshot, as the program noted it.
package struct Breadcrumb: Sendable, Equatable {
    /// Its place in the order in which the program noted them, from 1. Later breadcrumbs overwrite
    /// earlier ones, so the first that is left may have any number. Some numbers are never given
    /// out.
    package var number: UInt64
    /// Nanoseconds since 1970-01-01 00:00 UTC, by a clock that can be set.
    package var timeNanoseconds: UInt64
    /// Nanoseconds from the start of Epitaph, by the clock of `ProcessFacts.uptimeNanoseconds`,
    /// which cannot be set; nil when it was noted before that start.
    package var uptimeNanoseconds: UInt64?
    /// How serious the program said it was.
    package var level: Level
    /// What it is about, for example `http`; empty when the program did not say.
    package var category: String
    /// What the program noted, at most 256 bytes in dumps of this package.
    package var message: String
    /// The category or the message was longer, or attributes did not fit.
    package var isCut = false
    /// Of what kind it is, for example `navigation`; empty when the program did not say.
    package var kind = ""
    /// What else the program noted with it.
    package var attributes: [Annotation] = []
    /// It was noted in the scope of the task (or thread) that crashed.
    package var isOfTask = false

    /// How serious the event is. The numbers are those of epitaph_breadcrumbs.h.
    package enum Level: UInt8, Sendable, CaseIterable {
        /// EPITAPH_BREADCRUMB_DEBUG
        case debug = 1
        /// EPITAPH_BREADCRUMB_INFO; also that of a breadcrumb added without a level.
        case info = 2
        /// EPITAPH_BREADCRUMB_WARNING
        case warning = 3
        /// EPITAPH_BREADCRUMB_ERROR
        case error = 4
        /// EPITAPH_BREADCRUMB_FATAL
        case fatal = 5
    }

    /// A whole breadcrumb; set `isCut` for one that was cut.
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
