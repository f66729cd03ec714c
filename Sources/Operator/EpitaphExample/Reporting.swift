// SPDX-License-Identifier: Apache-2.0

import Epitaph

extension Epitaph.Configuration {
    /// The daemon's configuration of Epitaph. An operator can change it without a new build:
    /// docs/configuration.md.
    init(for arguments: Arguments, _ journal: Journal) {
        self.init(databasePath: arguments.databasePath, bundleID: "org.example.daemon")
        annotations = ["prod": "example-daemon", "ver": "1.0"]
        destination = arguments.url
        capture.attachments = [AttachedFile(journal.path, name: "journal.log")]
        // Breadcrumbs that survive SIGKILL, and named ends by SIGTERM and the like.
        capture.breadcrumbFileBytes = CrashReporterOptions.usualBreadcrumbFileBytes
        capture.markedSignals = CrashReporterOptions.usualMarkedSignals
        onCrashLoop = { loop in
            say("the last \(loop.crashCount) launches crashed soon after their start")
        }
        onEarlierCrash = { report in
            guard !report.isCrash else { return }
            journal.write(.warning, tag: "reports", "an earlier launch left: \(report.headline)")
        }
        askForParts()
    }

    private mutating func askForParts() {
        parts.events = EventLogOptions()
        parts.sessions = SessionOptions()
        parts.metrics = MetricsOptions()
        parts.memory = MemoryOptions()
        parts.systemEvents = SystemEventOptions()
        parts.context.environment = "demonstration"
        var hangs = HangOptions()
        // The main thread waits for connections and never returns to its queue.
        hangs.watchesMainQueue = false
        hangs.pollInterval = .milliseconds(250)
        hangs.keepsRecovered = true
        parts.hangs = hangs
        if let filter = Self.journalFilter { parts.logFilter = filter }
    }

    /// Errors become events; lines about single requests nothing, because each has its own.
    private static let journalFilter = try? LogFilter([
        LogRule(levels: .error ... .critical, .breadcrumbAndEvent),
        LogRule(tags: [GlobPattern("request*")], .drop),
        LogRule(levels: .info ... .warning, .breadcrumb),
    ])
}
