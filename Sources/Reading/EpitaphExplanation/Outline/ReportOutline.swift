// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A report's contents as rows, sentences and lists, without layout.
///
/// Text and HTML only lay this out, so they always agree; JSON takes the lists it has in common.
package struct ReportOutline: Sendable {
    package let explanation: CrashExplanation
    /// Threads shown besides the crashing one.
    package var threads = ThreadSelection.all
    package var names = ReportFrame.Names.short
    /// How often the same was seen: `4th since Tuesday, first seen in 1.4`; nil if not known.
    package var recurrence: String?

    package init(
        explanation: CrashExplanation, threads: ThreadSelection = .all,
        names: ReportFrame.Names = .short, recurrence: String? = nil
    ) {
        self.recurrence = recurrence
        self.explanation = explanation
        self.threads = threads
        self.names = names
    }

    package var snapshot: ProcessSnapshot { explanation.snapshot }

    /// A labelled fact. Unknown facts have no row.
    package struct Row: Sendable, Equatable {
        package var label: String
        package var value: String
        /// For names and numbers such as paths and addresses, not prose.
        package var isCode = false

        package init(_ label: String, _ value: String, isCode: Bool = false) {
            self.label = label
            self.value = value
            self.isCode = isCode
        }

        package init?(_ label: String, _ value: String?, isCode: Bool = false) {
            guard let value else { return nil }
            self.init(label, value, isCode: isCode)
        }
    }

    /// Titled texts.
    package struct Listing: Sendable, Equatable {
        package var title: String
        package var items: [String]

        init?(_ title: String, _ items: [String]) {
            guard !items.isEmpty else { return nil }
            self.title = title
            self.items = items
        }
    }

    /// `exampled wrote to offset 0x10 of a null pointer`
    package var headline: String {
        let name = explanation.programWords ?? "An unknown program"
        if let diagnosis = explanation.diagnosis { return "\(name) \(diagnosis.headline)" }
        if let requestHeadline { return requestHeadline }
        return name
            + (snapshot.isCut
                ? ": this dump ends before it says what happened" : ": no crash in this dump")
    }

    /// Without the words of messages, which are told once: in the headline or in `messages`.
    package var findings: [Diagnosis.Finding] {
        let diagnosis = explanation.diagnosis ?? explanation.handledHeapError
        return (diagnosis?.findings ?? []).map { finding in
            var finding = finding
            for message in snapshot.messages where !message.evidence.isEmpty {
                finding.evidence =
                    finding.evidence
                    .replacingEach(message.evidence, with: "").trimmed
            }
            return finding
        }
    }

    /// Those that headline and findings do not tell in full.
    package var messages: [CrashMessage] {
        let told = ([headline] + findings.map(\.statement)).joined(separator: "\n")
        return snapshot.messages.filter { message in
            !SaidMessage(message).parts.allSatisfy { told.has($0) }
        }
    }

    /// What the program knew of its work first, and last what the rows above say.
    package var annotations: [Annotation] {
        let known = KnownAnnotations.hostNames + KnownAnnotations.versionNames + ["prod"]
        let all = snapshot.annotations
        return all.filter(\.isOfTask)
            + all.filter { !$0.isOfTask && !known.contains($0.name) }
            + all.filter { !$0.isOfTask && known.contains($0.name) }
    }

    package static let observationsTitle = "What else the dump shows"

    /// Code around the fault, in address order.
    package var instructions: [FaultingCode.Instruction] {
        explanation.diagnosis?.code?.instructions ?? []
    }

    /// Registers at the fault, and at the last signal if the program's own handler sent it.
    package var registers: [(moment: String, values: RegisterSnapshot)] {
        guard let atFault = explanation.faultRegisters else { return [] }
        let moment = explanation.firstFault == nil ? "fault" : "first fault"
        return [(moment, atFault)] + (explanation.lastRegisters.map { [("last signal", $0)] } ?? [])
    }

    package var problems: Listing? {
        let frames = explanation.mainThread?.stack?.frames ?? []
        let used = Set(frames.compactMap { $0.place?.moduleIndex }).sorted()
        let files = used.compactMap { explanation.moduleProblems[$0] }
        return Listing(
            files.isEmpty
                ? "How the stacks were read" : "Files that could not be used to read this stack",
            files + explanation.readingNotes)
    }

    /// Like the environment, only captured if the program allows it.
    package var commandLine: Listing? {
        let words = (snapshot.commandLine ?? .empty).text.split(separator: "\0")
        return Listing("Command line", words.map(String.init))
    }

    package var environment: Listing? { Listing("Environment", snapshot.environment) }

    /// By address, with the number of unreadable lines in /proc/PID/maps; nil if the dump lacks it.
    package var maps: (mappings: [MemoryMapping], skippedLines: Int)? {
        snapshot.files.maps.map { MemoryMapping.parse($0) }
    }
}
