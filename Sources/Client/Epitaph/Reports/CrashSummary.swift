// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphMinidump
import EpitaphUnwinding
import EpitaphValues

extension Epitaph {
    /// Why an earlier launch crashed, in words for a log.
    ///
    ///     configuration.onEarlierCrash = { crash in
    ///         for line in crash.lines { logger.error("\(line)") }
    ///     }
    public struct CrashSummary: Sendable, CustomStringConvertible {
        /// The id of the report, which has all details.
        public let report: Epitaph.ID
        /// The program that crashed; several programs may share a database.
        public let bundleID: String
        /// Whether the program crashed. Otherwise it went on running, and the report is about a
        /// hang or the like.
        public let isCrash: Bool
        /// What died and why, as the first line of a report says it.
        public let headline: String
        /// The signal and what it means; nil if the report does not say.
        public let reason: String?
        /// The name of the signal, `SIGSEGV`; nil if the report does not say.
        public let signal: String?
        /// The crashing thread's frames, innermost first, at most 64; empty if unknown.
        public let frames: [CrashFrame]
        /// Equal for crashes with the same cause, 16 hexadecimal digits; nil if there is none.
        public let signature: String?
        /// When it crashed; nil if the report does not say.
        public let time: Timestamp?
        /// What died, why, what it said and its first frames. Line breaks and other control
        /// characters are removed; paths and the program's own words are not.
        public let lines: [String]

        /// The lines with line breaks between them.
        public var description: String { lines.joined(separator: "\n") }

        /// Explains a report from what was found out when it was filed. Nil if the report is gone.
        init?(of report: Epitaph.ID, bundleID: String, in database: ReportDatabase) {
            guard let filed = try? database.report(report),
                let bytes = try? database.contents(of: filed),
                let minidump = try? MinidumpReader.read(bytes)
            else { return nil }
            self.report = report
            self.bundleID = bundleID
            let explanation = CrashExplanation(
                minidump.snapshot, images: InstalledImages(), naming: .keptNames, threads: .crashing
            )
            lines = LogSummary(explanation).lines
            headline = lines.first ?? ""
            isCrash = (minidump.snapshot.request?.kind ?? .crash) == .crash
            reason = explanation.cause?.headline
            signal = explanation.cause?.signalName
            let stack = explanation.crashingThread?.stack?.frames ?? []
            frames = stack.prefix(Self.frameLimit).map(CrashFrame.init)
            signature = explanation.signature?.identifier
            time = filed.crashTime
        }

        private static let frameLimit = 64
    }

    /// A function that was running, inlined or called, when a program crashed.
    public struct CrashFrame: Sendable, Equatable {
        /// The address of the instruction: the faulting one, or the one that a call returns to.
        public let address: UInt64
        /// Its name as its author wrote it; nil if it is not known.
        public let function: String?
        /// The file name of the executable or library; nil for an address in neither.
        public let module: String?
        /// The path of the source file; nil if there was no debug information for the function.
        public let file: String?
        /// Counted from 1.
        public let line: Int?

        init(_ frame: ReportFrame) {
            address = frame.address
            function = frame.shortFunction
            module = frame.place?.moduleName
            file = frame.source?.file
            line = frame.source?.line
        }
    }
}
