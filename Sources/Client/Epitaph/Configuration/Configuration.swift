// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// The choices made at the start. Each value has a default that suits a daemon; a value out of
    /// range becomes the nearest valid one.
    ///
    ///     var configuration = Epitaph.Configuration(
    ///         databasePath: "/var/lib/myd/crashes", bundleID: "com.example.myd")
    ///     configuration.destination = "https://crashes.example.com/submit"
    ///     Epitaph.start(configuration)
    ///
    /// An operator can override them in a file and in the environment: docs/configuration.md.
    public struct Configuration: Sendable {
        /// The directory for dumps and reports, created with mode 0700; its parent must exist.
        public var databasePath: String
        /// The program in file names: 1 to 200 of A-Z a-z 0-9 . _ -, not starting with a dot.
        public var bundleID: String
        /// Names and values for every report. `prod` and `ver` give collectors the product and its
        /// version. At most 128; names have 1 to 255 bytes, and values are cut to 20,480.
        public var annotations: [String: String] = [:]
        /// Whether crashes are captured, until `Epitaph.isEnabled` is set for the first time. That
        /// choice is stored in the database and takes precedence.
        public var isEnabled = true
        /// Signals, limits, breadcrumbs, attachments, the size of the database and the like.
        public var capture = CrashReporterOptions()

        /// Where reports are sent: `https://…`, `sentry:…`, `backtrace:…`, `socorro:…`, `s3:…`,
        /// `put:…` or `post:…`, docs/destinations.md; nil for nowhere.
        public var destination: String?
        /// Whether reports may be sent, docs/delivery.md. Nil leaves it to the database: no until
        /// somebody agrees.
        public var uploadsEnabled: Bool?
        /// How reports are sent: rate, retries, consent, scrubbing, the connection. Unlike in a
        /// plain `UploadOptions`, passes repeat every ten minutes.
        public var uploads = Self.repeatedUploads

        /// Whether the start converts the dumps of earlier launches in the background.
        public var processesEarlierDumps = true
        /// Annotations added to the reports of this program's earlier launches when they are made.
        /// They do not replace values of the launch itself. The limits of `annotations` apply.
        public var annotationsOfEarlierLaunches: [String: String] = [:]
        /// The definition of a crash loop.
        public var crashLoop = CrashLoopPolicy()
        /// Events, sessions, metrics and the like: all off except reports of handled errors.
        public var parts = Parts()
        /// Whether `Epitaph.start` waits for the first pass over earlier reports, so that a crash
        /// in the program's start-up cannot prevent sending for ever. It needs a `destination`.
        public var sendsEarlierReportsFirst = SendFirst.never
        /// How long `Epitaph.start` waits for that at most, 0 to 60 s. Sending goes on afterwards.
        public var sendFirstTime = Duration.seconds(5) {
            didSet { sendFirstTime = sendFirstTime.clamped(to: .zero ... .seconds(60)) }
        }

        /// Whether an operator can change values in the file named by `EPITAPH_CONFIG` and in
        /// variables `EPITAPH_…`. They are ignored if the program has more rights than its user.
        public var heedsEnvironment = true

        /// Receives messages for people: why crashes are not recorded, which parts of a
        /// configuration are unusable. Called from any thread. The default writes to standard error
        /// unless that could block.
        public var log: @Sendable (String) -> Void = Self.standardErrorLog
        /// Called by `Epitaph.start` once crashes are captured, in a crash loop as defined by
        /// `crashLoop`: the program can then leave out what is not essential.
        public var onCrashLoop: (@Sendable (CrashLoop) -> Void)?
        /// Called on one of Epitaph's threads for each report that the start made of earlier
        /// launches. `CrashSummary.isCrash` tells crashes from hangs. Reports are sent once this
        /// and `onEarlierLaunches` have returned.
        public var onEarlierCrash: (@Sendable (CrashSummary) -> Void)?
        /// Called on one of Epitaph's threads once the dumps of earlier launches are reports. The
        /// last launch is known by then.
        public var onEarlierLaunches: (@Sendable (EarlierCrashes) -> Void)?
        /// Called on the upload thread after each pass over the pending reports.
        public var onUploads: (@Sendable (UploadOutcome) -> Void)?

        /// Whether to create the directories above the database: true only for the default place.
        var makesParentDirectories = false

        /// A configuration with the defaults.
        public init(databasePath: String, bundleID: String) {
            self.databasePath = databasePath
            self.bundleID = bundleID
        }

        private static var repeatedUploads: UploadOptions {
            var options = UploadOptions()
            options.repeatsAfter = .seconds(600)
            return options
        }
    }

    /// Whether the start waits until reports of earlier launches were sent.
    public enum SendFirst: String, Sendable, CaseIterable {
        /// It does not wait.
        case never
        /// It waits if the launches before this one crashed soon after their start.
        case inCrashLoop = "crash-loop"
        /// It waits whenever there is a report to send.
        case always
    }
}
