// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// First facts: the signal, the program, the machine, the time.
extension ReportOutline {
    package var signal: Row? { Row("Signal", explanation.cause?.headline) }

    package var signalFacts: [Row] {
        let reason = explanation.cause
        let access = reason?.access.map { " (\($0.rawValue))" } ?? ""
        let rows = [
            Row("Address", reason?.address.map { $0.paddedHex + access }, isCode: true),
            Row("Sent by", reason?.sender?.words),
            Row("Then", explanation.lastSignalWords),
            Row("System call", reason?.systemCall.map(String.init)),
        ]
        return rows.compactMap(\.self)
    }

    private var innermostFrames: [ReportFrame] {
        (explanation.faultStack ?? explanation.mainThread?.stack)?.frames ?? []
    }

    /// ` (likely, not certain)`, if a frame up to the origin is no more than that; else empty: beside
    /// code that was made at run time, and has no tables, a caller may be missing.
    package var originDoubt: String {
        guard let origin else { return "" }
        let found = Set(innermostFrames.prefix { $0.index <= origin.index }.map(\.foundBy))
        if found.contains(.stackGuess) { return " (possible, no more)" }
        let isLikely = found.contains(.framePointer) || found.contains(.stackScan)
        return isLikely ? " (likely, not certain)" : ""
    }

    /// The innermost call of the program's own code, named or not, where readers look first.
    package var origin: ReportFrame? {
        let frames = innermostFrames
        let kind = explanation.diagnosis?.kind
        let leading = NoiseFrames.leadingCount(frames, of: kind, explanation.diagnosis?.words)
        return frames.dropFirst(leading).first { frame in
            // The target of a bad jump may be data.
            let isCode = frame.function != nil || frame.index > 0 || kind?.isJump != true
            return isCode && frame.place != nil && !NoiseFrames.isAlwaysNoise(frame)
                && !frame.isOfSystem(snapshot.modules)
        }
    }

    /// `parse(_:) at Parser.swift:12`
    package var place: Row? {
        guard let frame = origin else { return nil }
        let source = frame.source.map { " at \($0.fileName)\($0.numbers)" } ?? ""
        return Row("In", frame.nameOrPlace + source + originDoubt, isCode: true)
    }

    package var seen: Row? { Row("Seen", recurrence) }

    /// `1.4 on web-3`, as the program said.
    package var release: Row? {
        guard let version = snapshot.programVersion else { return Row("Host", snapshot.hostName) }
        return Row("Version", version + (snapshot.hostName.map { " on \($0)" } ?? ""))
    }

    /// What the program was working for: `request = 4, tenant = acme`.
    package var purpose: Row? {
        let said = snapshot.annotations.filter {
            $0.isOfTask || Self.purposeNames.contains($0.name)
        }
        guard !said.isEmpty else { return nil }
        let words = said.prefix(3).map { "\($0.name) = \($0.value.prefix(60))" }
        return Row("For", TerminalText.line(words.joined(separator: ", ")))
    }

    private static let purposeNames: Set<String> = [
        "request", "request_id", "request-id", "traceparent", "trace_id", "tenant", "user",
    ]

    package var program: Row? { Row("Program", explanation.executablePath, isCode: true) }

    /// `4711, parent 1, user 33`
    package var process: Row? {
        guard let id = snapshot.process.id ?? snapshot.launch?.processID else { return nil }
        let parent = snapshot.process.parentID.map { ", parent \($0)" } ?? ""
        let user = snapshot.process.userID.map { ", user \($0)" } ?? ""
        return Row("Process", "\(id)\(parent)\(user)")
    }

    /// `Linux 6.1.0-25-amd64, x86_64, 8 processors`
    package var system: Row {
        let system = snapshot.system
        let kernel = [system.kernelName, system.kernelRelease].compactMap(\.self)
        let parts = [
            kernel.isEmpty ? nil : kernel.joined(separator: " "), snapshot.architecture.name,
            system.processorCount.map { counted(Int($0), "processor") },
        ]
        return Row("System", parts.compactMap(\.self).joined(separator: ", "))
    }

    package var identifiers: [Row] {
        let launch = snapshot.launch
        let rows = [
            Row("Bundle id", launch?.bundleID),
            Row("Report", launch?.uuid?.description, isCode: true),
            Row("Signature", explanation.signature?.text, isCode: true),
        ]
        return rows.compactMap(\.self)
    }

    package struct Moment {
        package let time: Timestamp
        /// `4 h 12 min after its start`; nil if the start is unknown or impossible.
        package let age: String?
    }

    package var moment: Moment? {
        guard let time = snapshot.process.snapshotTime else { return nil }
        guard let start = snapshot.process.startTime, start <= time,
            UTCTime.timestamp(start) != "-"
        else { return Moment(time: time, age: nil) }
        let span = UTCTime.span(seconds: time.seconds(since: start))
        return Moment(time: time, age: "\(span) after its start")
    }

    /// Shown early so that nobody takes a damaged report for a complete one.
    package var incompleteness: Row? {
        let completeness = explanation.completeness
        let subjects = completeness.subjects
        guard let first = subjects.first else { return nil }
        let rest = subjects.count - 1
        return Row(
            completeness.damage.isEmpty ? "Doubtful" : "Missing",
            first + (rest > 0 ? " and \(rest.grouped) more" : ""))
    }

    package var blanked: Row? { Row("Blanked", snapshot.capture?.blankedWords) }
}

extension DeathReason.Sender {
    fileprivate var words: String {
        if isTheProcessItself { return "the process itself" }
        return "process \(processID)" + (userID.map { ", user \($0)" } ?? "")
    }
}
