// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// The first screen of a text report, but for the crashing thread.
enum SummaryText {
    static func headline(_ explanation: CrashExplanation) -> [String] {
        let name = explanation.executableName.map(TerminalText.line) ?? "An unknown program"
        guard let reason = explanation.reason else {
            return ["\(name): no crash in this dump"]
        }
        return ["\(name) died of \(reason.headline)"]
    }

    /// What died, and when; a row is left out when the dump does not know it.
    static func facts(_ explanation: CrashExplanation) -> [String] {
        let snapshot = explanation.snapshot
        let rows: [(String, String?)] =
            reasonRows(explanation.reason) + [
                ("Program", explanation.executablePath.map(TerminalText.line)),
                ("Process", process(snapshot)),
                ("Bundle id", snapshot.launch?.bundleID.map(TerminalText.line)),
                ("Report", snapshot.launch?.uuid?.uuidString.lowercased()),
                (explanation.reason == nil ? "Taken" : "Crashed", time(snapshot)),
                ("System", system(snapshot)),
            ]
        return rows.compactMap { label, value in
            value.map { "  \(label.padded(to: 10))  \($0)" }
        }
    }

    private static func reasonRows(_ reason: DeathReason?) -> [(String, String?)] {
        let address = reason?.address.map { address in
            address.paddedHex + (reason?.access.map { " (\($0.rawValue))" } ?? "")
        }
        let sender = reason?.sender.map { sender in
            if sender.isTheProcessItself { return "the process itself" }
            let user = sender.userID.map { ", user \($0)" } ?? ""
            return "process \(sender.processID)\(user)"
        }
        return [
            ("Address", address), ("Sent by", sender),
            ("Call", reason?.systemCall.map { "system call \($0)" }),
        ]
    }

    private static func process(_ snapshot: ProcessSnapshot) -> String? {
        guard let id = snapshot.process.id ?? snapshot.launch?.processID else { return nil }
        let parent = snapshot.process.parentID.map { ", parent \($0)" } ?? ""
        let user = snapshot.process.userID.map { ", user \($0)" } ?? ""
        return "\(id)\(parent)\(user)"
    }

    private static func time(_ snapshot: ProcessSnapshot) -> String? {
        guard let time = snapshot.process.snapshotTime else { return nil }
        guard let start = snapshot.process.startTime, start <= time else {
            return UTCTime.text(time)
        }
        let age = UTCTime.span(
            seconds: time.timeIntervalSince1970 - start.timeIntervalSince1970)
        return "\(UTCTime.text(time)), \(age) after its start"
    }

    private static func system(_ snapshot: ProcessSnapshot) -> String {
        let kernel = [snapshot.system.kernelName, snapshot.system.kernelRelease]
            .compactMap { $0.map(TerminalText.line) }.joined(separator: " ")
        let processors = snapshot.system.processorCount.map { counted(Int($0), "processor") }
        return [kernel, snapshot.architecture.name, processors ?? ""]
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// What the combination of signal, code and registers means, or why there is no reason at all.
    static func notes(_ explanation: CrashExplanation) -> [String] {
        guard let reason = explanation.reason else {
            return wrapped(
                "The process was alive when this dump was taken, or the dump ends before it says "
                    + "how the process died; see the damage below.", width: 80)
        }
        return reason.notes.flatMap { wrapped($0, width: 80) }
    }

    static func messages(_ messages: [CrashMessage]) -> [String] {
        messages.flatMap { message in
            ["Message from \(TerminalText.line(message.source)):"]
                + TerminalText.lines(message.text).map { "  \($0)" }
        }
    }

    static func annotations(_ annotations: [Annotation]) -> [String] {
        guard !annotations.isEmpty else { return [] }
        return ["Annotations:"]
            + annotations.flatMap { annotation in
                let lines = TerminalText.lines(annotation.value)
                let name = TerminalText.line(annotation.name)
                guard lines.count > 1 else { return ["  \(name) = \(lines.first ?? "")"] }
                return ["  \(name) ="] + lines.map { "    \($0)" }
            }
    }

    /// Only there when the program allow-listed something, as is the environment.
    static func commandLine(_ snapshot: ProcessSnapshot) -> [String] {
        let words = (snapshot.commandLine ?? .empty).text.split(separator: "\0")
        guard !words.isEmpty else { return [] }
        return ["Command line:"] + words.map { "  " + TerminalText.line(String($0)) }
    }

    static func environment(_ snapshot: ProcessSnapshot) -> [String] {
        guard !snapshot.environment.isEmpty else { return [] }
        return ["Environment:"] + snapshot.environment.map { "  " + TerminalText.line($0) }
    }

    static func damage(_ damage: [Damage]) -> [String] {
        guard !damage.isEmpty else { return ["Damage: none, the report is complete"] }
        return ["Damage: what this report lacks, and why"]
            + damage.map { "  \($0.stage.rawValue): \(TerminalText.line($0.sentence))" }
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return lines + [line]
    }
}
