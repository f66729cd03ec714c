// SPDX-License-Identifier: Apache-2.0

/// What a report is of.
package enum ReportKind: Sendable, Hashable {
    /// The process died of a signal.
    case crash
    /// The program wanted to see itself, and lived on.
    case live
    /// Something did not react for too long.
    case hang
    /// The same, but it reacted again.
    case recoveredHang
    /// Memory became scarce.
    case memoryWarning
    /// An error that the program handled.
    case handledError
    /// Memory became scarce, and the kernel killed the process for it.
    case outOfMemory
    /// A kind that this version does not know, by its number in the dump.
    case unknown(UInt8)

    /// The kind of a number of epitaph_dump_format.h.
    package init(number: UInt8) {
        self = Self.known.first { $0.number == number }?.kind ?? .unknown(number)
    }

    /// Its number in dumps and minidumps.
    package var number: UInt8 {
        if case .unknown(let number) = self { return number }
        return Self.known.first { $0.kind == self }?.number ?? 0
    }

    /// For programs, as in the JSON report: `recovered-hang`.
    package var word: String { Self.known.first { $0.kind == self }?.word ?? "unknown" }

    private static let known: [(kind: ReportKind, number: UInt8, word: String)] = [
        (.crash, 1, "crash"), (.live, 2, "live"), (.hang, 3, "hang"),
        (.recoveredHang, 4, "recovered-hang"), (.memoryWarning, 5, "memory-warning"),
        (.handledError, 6, "handled-error"), (.outOfMemory, 7, "out-of-memory"),
    ]
}

/// What the dump of a process that lived on is of, as the program asked for it.
package struct ReportRequest: Sendable, Equatable {
    /// Never `.crash` in a dump of ours.
    package var kind: ReportKind
    /// The thread that the report is about; nil for the whole process.
    package var subjectThreadID: UInt64?
    /// What that thread is to the program: `main queue`.
    package var subjectName: String?
    /// How long what the report is about had lasted; nil where that means nothing.
    package var durationNanoseconds: UInt64?
    /// False where the subject's thread alone was asked for.
    package var includesAllThreads = true
    /// Whether the dump counts only if the process was killed for want of memory.
    package var isProvisional = false

    /// A request about the whole process.
    package init(kind: ReportKind) {
        self.kind = kind
    }
}

extension ProcessSnapshot {
    /// What this is of; nil where the source does not say, as a dump that was cut or one of another
    /// writer.
    package var kind: ReportKind? { exception != nil ? .crash : request?.kind }

    /// The thread that the report of a process without a crash is about; nil if there is none, or it
    /// is not in the dump.
    package var subjectThread: ThreadSnapshot? {
        guard exception == nil, let id = request?.subjectThreadID else { return nil }
        return threads.first { $0.id == id }
    }
}

extension ProcessSnapshot {
    /// The label of the main queue: src/init.c of libdispatch.
    private static let mainQueueLabel = "com.apple.main-thread"
    /// What the watch of the main queue is called.
    private static let mainQueueName = "main queue"

    /// Finds the thread that a hang is about where the program could not say it: the only one that did
    /// work of a queue with the label that the hang is called by. A queue may be run by another
    /// thread each time, so of more than one, or none, nothing follows.
    package mutating func findSubjectByQueue() {
        guard let request, request.subjectThreadID == nil, let name = request.subjectName,
            request.kind == .hang || request.kind == .recoveredHang
        else { return }
        let label = name == Self.mainQueueName ? Self.mainQueueLabel : name
        let found = threads.filter { $0.queueName == label }
        guard found.count == 1 else { return }
        self.request?.subjectThreadID = found[0].id
    }
}

extension ProcessSnapshot {
    /// Who says what an error was, in the list of messages. It is `TYPE: MESSAGE`, or the type
    /// alone.
    package static let errorMessageSource = "error"

    /// What sort of error the report of a handled one is about.
    package var errorType: String? {
        guard kind == .handledError,
            let said = messages.first(where: { $0.source == Self.errorMessageSource })?.text
        else { return nil }
        let line = said.prefix { !$0.isNewline }
        let type = line.firstRange(of: ": ").map { line[..<$0.lowerBound] } ?? line
        return type.isEmpty ? nil : String(type)
    }
}
