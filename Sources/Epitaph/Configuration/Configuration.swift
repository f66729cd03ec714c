// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// Everything that is chosen at the start. Each value has a default that suits a daemon, and
    /// is brought within its bounds where it is set.
    ///
    ///     var configuration = Epitaph.Configuration(
    ///         databasePath: "/var/lib/myd/crashes", bundleID: "com.example.myd")
    ///     configuration.destination = "https://crashes.example.com/submit"
    ///     Epitaph.start(configuration)
    ///
    /// An operator can choose otherwise in a file and in the environment, docs/configuration.md;
    /// what is here are the defaults of those.
    public struct Configuration: Sendable {
        /// The directory that dumps and reports live in; made with mode 0700 if it is missing, and
        /// its parent must exist.
        public var databasePath: String
        /// The name of the program in file names: 1 to 200 of the characters A-Z a-z 0-9 . _ -, not
        /// starting with a dot.
        public var bundleID: String
        /// Names and values that every report carries. `prod` and `ver` name product and version to
        /// collectors. At most 128; names have 1 to 255 bytes, and values are cut at 20,480.
        public var annotations: [String: String] = [:]
        /// Whether crashes are captured, until `Epitaph.isEnabled` is set for the first time: that
        /// choice is kept in the database, and counts from then on.
        public var isEnabled = true
        /// Signals, budgets, breadcrumbs, attachments, the bounds of the database and the like.
        public var capture = CrashReporterOptions()

        /// Where reports are sent, as a line: `https://…`, `sentry:…`, `backtrace:…`, `socorro:…`,
        /// `put:…` or `post:…`, docs/destinations.md. Nil for nowhere.
        public var destination: String?
        /// Whether reports may be sent, docs/delivery.md; nil leaves the choice that is kept in the
        /// database, which is no until somebody agrees.
        public var uploadsEnabled: Bool?
        /// How reports are sent: reports per minute, retries, consent, scrubbing, the connection.
        /// Unlike elsewhere, passes are repeated every ten minutes.
        public var uploads = Self.repeatedUploads

        /// Whether the dumps of earlier launches become reports at the start, in the background.
        public var processesEarlierDumps = true
        /// Names and values that the reports of this program's earlier launches get when they are
        /// made of their dumps. What a launch said itself is not replaced. Bounds as for
        /// `annotations`.
        public var annotationsOfEarlierLaunches: [String: String] = [:]
        /// When crashes soon after the start count as a crash loop.
        public var crashLoop = CrashLoopPolicy()
        /// Events, sessions, metrics and the like: all off but reports of handled errors.
        public var parts = Parts()
        /// Whether `Epitaph.start` waits until the reports of earlier launches were sent, so that a
        /// crash in the program's own start-up cannot prevent it for ever. It waits for the first
        /// pass over them, whatever comes of it; not where there is no `destination`.
        public var sendsEarlierReportsFirst = SendFirst.never
        /// How long `Epitaph.start` waits for that, seconds, 0 to 60. Sending goes on afterwards.
        public var sendFirstSeconds = 5.0 {
            didSet { sendFirstSeconds = sendFirstSeconds.clamped(to: 0...60) }
        }

        /// Whether an operator can choose otherwise in the file that `EPITAPH_CONFIG` names and in
        /// variables `EPITAPH_…`. They are ignored in a program that has more rights than the user
        /// who runs it.
        public var heedsEnvironment = true

        /// Takes what a person should know: why crashes are not recorded, what of a configuration
        /// cannot be used. Called from any thread, with one sentence. By default it is a line on
        /// standard error, where that cannot block.
        public var log: @Sendable (String) -> Void = Self.standardErrorLog
        /// Called in `Epitaph.start`, once crashes are captured, if the launches before this one
        /// crashed soon after their starts as often as `crashLoop` says: the program can do
        /// without what is not essential.
        public var onCrashLoop: (@Sendable (CrashLoop) -> Void)?
        /// Called for each report that was made at the start of what earlier launches left, on a
        /// thread of Epitaph's. `CrashSummary.isCrash` tells crashes from hangs and the like.
        /// Reports are sent once this and `onEarlierLaunches` have returned.
        public var onEarlierCrash: (@Sendable (CrashSummary) -> Void)?
        /// Called once the dumps of earlier launches are reports, on a thread of Epitaph's. What
        /// concerns the last launch can be asked for by then.
        public var onEarlierLaunches: (@Sendable (EarlierCrashes) -> Void)?
        /// Called after each pass over the reports that wait to be sent, on the upload thread.
        public var onUploads: (@Sendable (UploadOutcome) -> Void)?

        /// A configuration with all defaults.
        public init(databasePath: String, bundleID: String) {
            self.databasePath = databasePath
            self.bundleID = bundleID
        }

        private static var repeatedUploads: UploadOptions {
            var options = UploadOptions()
            options.repeatsAfterSeconds = 600
            return options
        }
    }

    /// Whether the start waits until reports of earlier launches were sent.
    public enum SendFirst: String, Sendable, CaseIterable {
        /// It does not wait.
        case never
        /// If the launches before this one crashed soon after their starts.
        case inCrashLoop = "crash-loop"
        /// Whenever there is a report that waits.
        case always
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self {
        // NaN is not less than anything, and becomes the lower bound.
        self >= range.lowerBound ? min(self, range.upperBound) : range.lowerBound
    }
}
