// SPDX-License-Identifier: Apache-2.0

import Bytes
import CrashReport
import FoundationEssentials
import Minidump
import ReportDatabase
import StackUnwinding

/// Why an earlier launch crashed, in words for a log.
///
///     try await reporter.processIntermediateDumps { crash in
///         for line in crash.lines { logger.error("\(line)") }
///     }
public struct CrashSummary: Sendable, CustomStringConvertible {
    /// The id of the report, which has all details.
    public let report: UUID
    /// Of the program that crashed: another one may have the same database.
    public let bundleID: String
    /// What died, why, what it said and its first frames; without line breaks or other control
    /// characters, but with paths and with whatever the program said.
    public let lines: [String]

    /// The lines with line breaks between them.
    public var description: String { lines.joined(separator: "\n") }

    /// Explains a report by what was found out when it was filed. Nil when it is gone again.
    init?(of report: UUID, bundleID: String, in database: ReportDatabase) {
        guard let filed = try? database.report(report),
            let bytes = try? database.contents(of: filed),
            let minidump = try? MinidumpReader.read(bytes)
        else { return nil }
        self.report = report
        self.bundleID = bundleID
        let explanation = CrashExplanation(
            minidump.snapshot, images: InstalledImages(), naming: .keptNames, threads: .crashing)
        lines = LogSummary(explanation).lines
    }
}
