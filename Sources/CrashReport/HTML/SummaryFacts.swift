// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The few facts at the head of a page, as labels and values; what the dump does not know is left
/// out.
enum SummaryFacts {
    struct Row {
        var label: String
        var value: String
        var isCode = false
    }

    /// Those a reader needs at once.
    static func first(_ explanation: CrashExplanation) -> [Row] {
        let snapshot = explanation.snapshot
        let rows: [Row?] =
            reason(explanation) + [
                code("Program", explanation.executablePath),
                plain("Process", process(snapshot)),
                plain("System", system(snapshot)),
            ]
        return rows.compactMap(\.self)
    }

    /// What the report is known by elsewhere.
    static func names(_ explanation: CrashExplanation) -> [Row] {
        let launch = explanation.snapshot.launch
        let rows = [
            code("Report", launch?.uuid?.uuidString.lowercased()),
            plain("Bundle id", launch?.bundleID),
            code("Signature", explanation.signature?.text),
            code("Signature, short", explanation.signature?.identifier),
        ]
        return rows.compactMap(\.self)
    }

    static func markup(_ rows: [Row]) -> Markup {
        element("dl", .class("facts")) {
            for row in rows {
                element("div") {
                    element("dt") { row.label }
                    element("dd") {
                        if row.isCode { Parts.code(row.value) } else { row.value }
                    }
                }
            }
        }
    }

    private static func plain(_ label: String, _ value: String?) -> Row? {
        value.map { Row(label: label, value: $0) }
    }

    private static func code(_ label: String, _ value: String?) -> Row? {
        value.map { Row(label: label, value: $0, isCode: true) }
    }

    private static func reason(_ explanation: CrashExplanation) -> [Row?] {
        let reason = explanation.cause
        let access = reason?.access.map { " (\($0.rawValue))" } ?? ""
        let sender = reason?.sender.map { sender in
            if sender.isTheProcessItself { return "the process itself" }
            return "process \(sender.processID)" + (sender.userID.map { ", user \($0)" } ?? "")
        }
        return [
            code("Address", reason?.address.map { $0.paddedHex + access }),
            plain("Sent by", sender), plain("Then", explanation.lastSignalWords),
            plain("System call", reason?.systemCall.map(String.init)),
        ]
    }

    private static func process(_ snapshot: ProcessSnapshot) -> String? {
        guard let id = snapshot.process.id ?? snapshot.launch?.processID else { return nil }
        let parent = snapshot.process.parentID.map { ", parent \($0)" } ?? ""
        return "\(id)\(parent)" + (snapshot.process.userID.map { ", user \($0)" } ?? "")
    }

    /// `2026-08-22 03:14:07 UTC, 4 h 12 min after its start`
    static func moment(_ snapshot: ProcessSnapshot) -> Markup? {
        guard let time = snapshot.process.snapshotTime else { return nil }
        let moment = Parts.time(time)
        guard let start = snapshot.process.startTime, start <= time,
            UTCTime.timestamp(start) != "-"
        else { return moment }
        let age = UTCTime.span(seconds: time.timeIntervalSince(start))
        return MarkupBuilder.buildArray([moment, Markup(text: ", \(age) after its start")])
    }

    private static func system(_ snapshot: ProcessSnapshot) -> String {
        let kernel = [snapshot.system.kernelName, snapshot.system.kernelRelease]
            .compactMap(\.self).joined(separator: " ")
        let processors = snapshot.system.processorCount.map { counted(Int($0), "processor") }
        return [kernel, snapshot.architecture.name, processors ?? ""]
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
