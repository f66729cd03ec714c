// SPDX-License-Identifier: Apache-2.0

package enum ReportKind: Sendable, Hashable {
    case crash
    /// The program requested a dump of itself and lived on.
    case live
    /// Something did not respond for too long.
    case hang
    /// It responded again.
    case recoveredHang
    case memoryWarning
    case handledError
    /// The kernel killed the process because memory was scarce.
    case outOfMemory
    /// Unknown to this version, by its number in the dump.
    case unknown(UInt8)

    /// A number of epitaph_dump_format.h.
    package init(number: UInt8) {
        self = Self.known.first { $0.number == number }?.kind ?? .unknown(number)
    }

    package var number: UInt8 {
        if case .unknown(let number) = self { return number }
        return Self.known.first { $0.kind == self }?.number ?? 0
    }

    package var word: String { Self.known.first { $0.kind == self }?.word ?? "unknown" }

    private static let known: [(kind: ReportKind, number: UInt8, word: String)] = [
        (.crash, 1, "crash"), (.live, 2, "live"), (.hang, 3, "hang"),
        (.recoveredHang, 4, "recovered-hang"), (.memoryWarning, 5, "memory-warning"),
        (.handledError, 6, "handled-error"), (.outOfMemory, 7, "out-of-memory"),
    ]
}

package struct ReportRequest: Sendable, Equatable {
    /// Never `.crash` in our dumps.
    package var kind: ReportKind
    package var subjectThreadID: UInt64?
    package var subjectName: String?
    /// How long the condition had lasted; nil if not applicable.
    package var durationNanoseconds: UInt64?
    /// False if only the subject's thread was requested.
    package var includesAllThreads = true
    /// Whether the dump counts only if the process is killed for lack of memory.
    package var isProvisional = false

    package init(kind: ReportKind) {
        self.kind = kind
    }
}

extension ProcessSnapshot {
    /// Nil if unknown, as in a cut dump or one of another writer.
    package var kind: ReportKind? { exception != nil ? .crash : request?.kind }

    /// The subject of a report without a crash; nil if there is none, or it is not in the dump.
    package var subjectThread: ThreadSnapshot? {
        guard exception == nil, let id = request?.subjectThreadID else { return nil }
        return threads.first { $0.id == id }
    }

    /// The label of the main queue: src/init.c of libdispatch.
    private static let mainQueueLabel = "com.apple.main-thread"
    private static let mainQueueName = "main queue"

    /// Finds the thread of a hang whose program could not name it: the only one that worked on a
    /// queue with the hang's label. Several matches, or none, mean nothing.
    package mutating func findSubjectByQueue() {
        guard let request, request.subjectThreadID == nil, let name = request.subjectName,
            request.kind == .hang || request.kind == .recoveredHang
        else { return }
        let label = name == Self.mainQueueName ? Self.mainQueueLabel : name
        let found = threads.filter { $0.queueName == label }
        guard found.count == 1 else { return }
        self.request?.subjectThreadID = found[0].id
    }

    /// The source of an error in the messages. Its text is `TYPE: MESSAGE`, or the type alone.
    package static let errorMessageSource = "error"

    package var errorType: String? {
        guard kind == .handledError,
            let said = messages.first(where: { $0.source == Self.errorMessageSource })?.text
        else { return nil }
        let line = said.prefix { !$0.isNewline }
        let type = line.firstPlace(of: ": ").map { line[..<$0.lowerBound] } ?? line
        return type.isEmpty ? nil : String(type)
    }
}
