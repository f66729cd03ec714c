// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Synchronization

extension Epitaph {
    /// Starts the capture alone: arms a dump file and installs the signal handlers. Call it early,
    /// before the program makes threads. Programs that import Epitaph call `start` instead.
    ///
    ///     try Epitaph.startCapture(
    ///         databasePath: "/var/lib/myd/crashes", bundleID: "com.example.myd",
    ///         annotations: ["ver": "1.4"])
    ///
    /// `dump-convert process` makes reports from what it records.
    ///
    /// - Parameters:
    ///   - databasePath: the directory for dumps and reports. It is created with mode 0700 if it is
    ///     missing; its parent must exist.
    ///   - bundleID: 1 to 200 of the characters A-Z a-z 0-9 . _ -, not starting with a dot.
    ///   - annotations: names and values for every report. `prod` and `ver` give collectors the
    ///     product and its version.
    ///   - options: how crashes are captured and how reports are made.
    /// - Throws: `Refusal`. The program can run on; its crashes are not recorded.
    public static func startCapture(
        databasePath: String, bundleID: String, annotations: [String: String] = [:],
        options: CrashReporterOptions = CrashReporterOptions()
    ) throws(Refusal) {
        _ = try CrashReporter(
            databasePath: databasePath, bundleID: bundleID, annotations: annotations,
            options: options)
    }

    /// Puts the earlier signal handlers back and marks the armed dump file, so that the next launch
    /// can tell that this one ended well. Returning from main and exit(3) mark it too.
    public static func stopCapture() {
        CrashReporter.isStarted.store(false, ordering: .relaxed)
        epitaph_stop()
    }
}

/// The capture of this process and its settings. A process has only one; the handlers stay until
/// `stop()`, even if this value is released.
package struct CrashReporter: Sendable {
    /// The directory that holds the reports.
    package let databasePath: String
    /// The name of the program in file names.
    package let bundleID: String
    package let options: CrashReporterOptions

    /// Whether crashes are recorded now. When it is false, values and scopes have no meaning.
    static let isStarted = Atomic(false)
    /// As chosen at the last start.
    static let allowsTestCrashes = Atomic(false)

    package init(
        databasePath: String, bundleID: String, annotations: [String: String] = [:],
        options: CrashReporterOptions = CrashReporterOptions()
    ) throws(Refusal) {
        self.databasePath = databasePath
        self.bundleID = bundleID
        self.options = options
        try options.start(
            databasePath: databasePath, bundleID: bundleID, annotations: annotations)
        Self.allowsTestCrashes.store(options.allowsTestCrashes, ordering: .relaxed)
        Self.isStarted.store(true, ordering: .relaxed)
    }

    package func stop() {
        Epitaph.stopCapture()
    }
}
