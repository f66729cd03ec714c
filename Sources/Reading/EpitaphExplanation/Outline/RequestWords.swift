// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Words for processes that did not crash. None of them says "crash".
extension ReportOutline {
    /// `exampled: hang of thread 12 "main" (main queue) for 2.4 s`; nil for crashes.
    package var requestHeadline: String? {
        guard let kind = snapshot.kind, kind != .crash else { return nil }
        let name = explanation.programWords ?? "An unknown program"
        return "\(name): \(words(of: kind))"
    }

    private func words(of kind: ReportKind) -> String {
        let duration = snapshot.request?.durationWords
        let lasted = duration.map { " for \($0)" } ?? ""
        // The dump is taken while the process hangs.
        let soFar = duration.map { " for at least \($0)" } ?? ""
        return switch kind {
        case .crash: "crash"
        case .live: "dump of the running process"
        case .hang: "hang of \(subject)\(soFar)"
        case .recoveredHang: "hang of \(subject)\(lasted), which is over"
        case .memoryWarning: "memory became scarce"
        case .handledError:
            "handled error"
                + ((explanation.handledHeapError?.headline ?? errorWords).map { ": \($0)" } ?? "")
        case .outOfMemory: "killed by the kernel because memory ran out"
        case .unknown(let number): "a report of a kind that is not known here (\(number))"
        }
    }

    /// `thread 12 "main" (main queue)`
    private var subject: String {
        let name = snapshot.request?.subjectName
        guard let id = snapshot.request?.subjectThreadID else { return name ?? "the process" }
        let identity = explanation.subjectThread?.identity ?? "\(id)"
        return "thread \(identity)" + (name.map { " (\($0))" } ?? "")
    }

    private var errorWords: String? {
        let first = snapshot.messages.first?.text.split(separator: "\n").first
        return first.map { String($0.prefix(Self.mostHeadlineCharacters)) }
    }

    private static let mostHeadlineCharacters = 120

    /// Replaces the findings if there was no crash, without a full stop; nil if there was one.
    package var wordsWithoutCrash: String? {
        guard explanation.diagnosis == nil else { return nil }
        return switch snapshot.kind {
        case .outOfMemory:
            "The dump was taken when memory was scarce; later the kernel killed the process"
        case nil, .crash:
            "The process was alive when this dump was taken, or the dump ends before it says "
                + "how the process died"
        default: "The process was alive when this dump was taken"
        }
    }

    /// True if the list of damage may explain that.
    package var mayLackCrash: Bool { snapshot.kind == nil }

    /// Title of the first stack: `Crashing thread`.
    package var mainThreadTitle: String {
        switch snapshot.kind {
        case .hang, .recoveredHang: "Stuck thread"
        case .crash, nil: "Crashing thread"
        default: "Thread it is about,"
        }
    }

    /// `Crash report`
    package var kindTitle: String {
        switch snapshot.kind {
        case .crash: "Crash report"
        case .hang, .recoveredHang: "Hang report"
        case .memoryWarning, .outOfMemory: "Memory report"
        case .handledError: "Report of a handled error"
        case .live, .unknown, nil: "Report of a live process"
        }
    }

    /// `Crashed` or `Taken`
    package var momentTitle: String { explanation.reason == nil ? "Taken" : "Crashed" }
}

extension ReportRequest {
    /// `2.4 s`; nil where it is not known.
    package var durationWords: String? {
        guard let durationNanoseconds else { return nil }
        let tenths = durationNanoseconds / 100_000_000
        guard tenths < 1200 else { return UTCTime.span(seconds: Double(tenths) / 10) }
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
