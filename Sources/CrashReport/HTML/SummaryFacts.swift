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

    static func rows(_ explanation: CrashExplanation) -> [Row] {
        let snapshot = explanation.snapshot
        let rows: [Row?] =
            reason(explanation.reason) + [
                code("Program", explanation.executablePath),
                plain("Process", process(snapshot)),
                plain("Ran for", age(snapshot)),
                plain("Bundle id", snapshot.launch?.bundleID),
                plain("System", system(snapshot)),
                code("Signature", explanation.signature?.identifier),
                code("Report", snapshot.launch?.uuid?.uuidString.lowercased()),
            ]
        return rows.compactMap(\.self)
    }

    private static func plain(_ label: String, _ value: String?) -> Row? {
        value.map { Row(label: label, value: $0) }
    }

    private static func code(_ label: String, _ value: String?) -> Row? {
        value.map { Row(label: label, value: $0, isCode: true) }
    }

    private static func reason(_ reason: DeathReason?) -> [Row?] {
        let access = reason?.access.map { " (\($0.rawValue))" } ?? ""
        let sender = reason?.sender.map { sender in
            if sender.isTheProcessItself { return "the process itself" }
            return "process \(sender.processID)" + (sender.userID.map { ", user \($0)" } ?? "")
        }
        return [
            code("Address", reason?.address.map { $0.paddedHex + access }),
            plain("Sent by", sender),
            plain("System call", reason?.systemCall.map(String.init)),
        ]
    }

    private static func process(_ snapshot: ProcessSnapshot) -> String? {
        guard let id = snapshot.process.id ?? snapshot.launch?.processID else { return nil }
        let parent = snapshot.process.parentID.map { ", parent \($0)" } ?? ""
        return "\(id)\(parent)" + (snapshot.process.userID.map { ", user \($0)" } ?? "")
    }

    private static func age(_ snapshot: ProcessSnapshot) -> String? {
        guard let time = snapshot.process.snapshotTime, let start = snapshot.process.startTime,
            start <= time
        else { return nil }
        return UTCTime.span(seconds: time.timeIntervalSince(start))
    }

    private static func system(_ snapshot: ProcessSnapshot) -> String {
        let kernel = [snapshot.system.kernelName, snapshot.system.kernelRelease]
            .compactMap(\.self).joined(separator: " ")
        let processors = snapshot.system.processorCount.map { counted(Int($0), "processor") }
        return [kernel, snapshot.architecture.name, processors ?? ""]
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
