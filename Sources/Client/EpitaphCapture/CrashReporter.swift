// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Synchronization

extension Epitaph {
    /// Starts capture only: arms a dump file and installs the signal handlers. Call it early,
    /// before starting threads. Programs that import Epitaph call `start` instead. `dump-convert
    /// process` makes the reports.
    ///
    ///     try Epitaph.startCapture(
    ///         databasePath: "/var/lib/myd/crashes", bundleID: "com.example.myd",
    ///         annotations: ["ver": "1.4"])
    ///
    /// - Parameters:
    ///   - databasePath: directory for dumps and reports. Created with mode 0700 if missing; its
    ///     parent must exist.
    ///   - bundleID: 1 to 200 of the characters A-Z a-z 0-9 . _ -, not starting with a dot.
    ///   - annotations: names and values for every report. `prod` and `ver` are the product and
    ///     version for collectors.
    ///   - options: of the capture.
    /// - Throws: `Refusal`. The program can run on; its crashes are not recorded.
    public static func startCapture(
        databasePath: String, bundleID: String, annotations: [String: String] = [:],
        options: CrashReporterOptions = CrashReporterOptions()
    ) throws(Refusal) {
        _ = try CrashReporter(
            databasePath: databasePath, bundleID: bundleID, annotations: annotations,
            options: options)
    }

    /// Restores the signal handlers and marks a clean end, as do returning from main and exit(3).
    public static func stopCapture() {
        CrashReporter.isStarted.store(false, ordering: .relaxed)
        epitaph_stop()
    }
}

/// This process's only capture. The handlers stay until `stop()`, not until deinit.
package struct CrashReporter: Sendable {
    package let databasePath: String
    package let bundleID: String
    package let options: CrashReporterOptions

    /// While false, values and scopes have no effect.
    static let isStarted = Atomic(false)
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
