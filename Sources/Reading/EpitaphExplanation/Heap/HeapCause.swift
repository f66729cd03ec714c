// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Who allocated and freed the blocks of an error: the same for all errors of one cause, wherever
/// they are noticed.
package struct HeapCause: Sendable, Equatable {
    package var blocks: [Int]
    var allocatedBy: String?
    var freedBy: String?

    /// `(allocated by fill, freed by release)`; nil if neither is known.
    var words: String? {
        let parts = [
            allocatedBy.map { "allocated by \($0)" }, freedBy.map { "freed by \($0)" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : "(\(parts.joined(separator: ", ")))"
    }

    var function: String? { allocatedBy ?? freedBy }

    /// - Parameter blocks: of two, neither of which is certain, only the functions they share.
    init(_ blocks: [Int], of heap: ExplainedHeap) {
        self.blocks = blocks
        func shared(_ moments: [ExplainedHeap.Moment?]) -> String? {
            let names = Set(moments.map { $0?.origin.map(Self.name) })
            return names.count == 1 ? names.first ?? nil : nil
        }
        allocatedBy = shared(blocks.map { heap.allocation(of: $0) })
        freedBy = shared(blocks.map { heap.freeing(of: $0) })
    }

    /// Offsets are valid for one build only.
    private static func name(_ frame: ReportFrame) -> String {
        frame.shortFunction.map(FunctionName.normalized)
            ?? frame.place.map { $0.moduleName.withoutDeletedMark } ?? "?"
    }
}

extension Diagnosis {
    /// `double-free (allocated by fill, freed by release)`
    var signatureWords: String {
        [kind.rawValue, heap?.words].compactMap(\.self).joined(separator: " ")
    }
}
