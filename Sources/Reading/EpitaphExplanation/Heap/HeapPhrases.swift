// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Phrases about sampled blocks: `a 40-byte block that parse_header allocated at http.c:214
/// (thread 12, 3.2 s before)`.
struct HeapPhrases {
    let heap: ExplainedHeap
    /// The thread that made the error, so that others are told apart; nil if unknown.
    let threadID: UInt64?

    /// With who freed it, if it was freed, and who allocated it.
    func block(_ index: Int) -> String {
        let block = heap.sampling.blocks[index]
        let type = block.typeName.map { " (\($0))" } ?? ""
        let size = "a \(block.size.grouped)-byte block\(type)"
        let freed = heap.freeing(of: index)
        let moments = [freed, heap.allocation(of: index)].compactMap(\.self)
        guard !moments.isEmpty else {
            return size + (block.state == .freed ? " that was freed" : "")
        }
        return "\(size) that " + moments.map(clause).joined(separator: " and ")
    }

    /// `parse_header allocated at http.c:214 (thread 12, 3.2 s before)`
    private func clause(_ moment: ExplainedHeap.Moment) -> String {
        let details = details(moment)
        let when = details.map { " (\($0))" } ?? ""
        guard let origin = moment.origin else { return "was \(moment.verb)\(when)" }
        return "\(origin.nameOrPlace) \(moment.verb)\(origin.atPlace)\(when)"
    }

    /// `in release at cache.c:31 (thread 12, 41 ms before)`; nil if nothing is known.
    func place(_ moment: ExplainedHeap.Moment?) -> String? {
        guard let moment else { return nil }
        let name = moment.origin.map { "in \($0.nameWithPlace)" }
        let details = details(moment)
        guard let name else { return details.map { "by \($0)" } }
        return name + (details.map { " (\($0))" } ?? "")
    }

    /// `thread 12 "worker", 3.2 s before`
    func details(_ moment: ExplainedHeap.Moment) -> String? {
        let parts = [moment.threadWords(besides: threadID), moment.ageWords].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension ExplainedHeap.Moment {
    var verb: String { place.isFree ? "freed" : "allocated" }

    package func threadWords(besides other: UInt64? = nil) -> String? {
        guard let id = moment.threadID else { return nil }
        if id == other { return "the same thread" }
        return "thread \(id)" + (moment.threadName.map { " \"\($0)\"" } ?? "")
    }

    /// `41 ms before`. The clock's steps are up to 10 ms: CLOCK_MONOTONIC_COARSE, clock_gettime(2).
    package var ageWords: String? {
        guard let age else { return nil }
        let milliseconds = age / 1_000_000
        switch milliseconds {
        case ..<10: return "less than 10 ms before"
        case ..<1000: return "\(milliseconds) ms before"
        case ..<60_000: return "\(milliseconds / 1000).\(milliseconds / 100 % 10) s before"
        default: return "\(UTCTime.span(seconds: Double(milliseconds) / 1000)) before"
        }
    }
}

extension ReportFrame {
    /// `release at cache.c:31`
    var nameWithPlace: String { nameOrPlace + atPlace }

    /// ` at http.c:214`
    fileprivate var atPlace: String {
        guard shortFunction != nil, let source else { return "" }
        return " at \(source.file.lastPathComponent)" + (source.line.map { ":\($0)" } ?? "")
    }
}
