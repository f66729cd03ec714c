// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// A sampled block that an error is about, for a comparison: what it was, and the stacks of the
/// calls that freed and allocated it.
struct ComparedBlock {
    private let block: SampledBlock
    private let heap: ExplainedHeap
    private let index: Int
    private let calls: [ReportOutline.HeapCall]

    /// - Parameter number: of the blocks that are blamed; nil if there are not so many.
    init?(_ outline: ReportOutline, _ number: Int) {
        let explanation = outline.explanation
        guard let heap = explanation.heap,
            let blamed = (explanation.diagnosis ?? explanation.handledHeapError)?.heap?.blocks,
            blamed.indices.contains(number)
        else { return nil }
        index = blamed[number]
        block = heap.sampling.blocks[index]
        self.heap = heap
        calls = outline.heapCalls
    }

    static func sections(
        _ left: ReportOutline, _ right: ReportOutline, names: ReportFrame.Names
    ) -> [ReportComparison.Section] {
        // An address between two blocks has two.
        (0..<2).flatMap { number in
            sections(Self(left, number), Self(right, number), number, names)
        }
    }

    private static func sections(
        _ left: Self?, _ right: Self?, _ number: Int, _ names: ReportFrame.Names
    ) -> [ReportComparison.Section] {
        func row(_ label: String, _ value: (Self) -> String?) -> ReportComparison.Row? {
            .init(label, left.flatMap(value), right.flatMap(value))
        }
        func stack(_ title: String, isFree: Bool) -> ReportComparison.Section {
            .init(
                title: title,
                rows: StackAlignment(
                    left?.call(isFree)?.stackOfProgram, right?.call(isFree)?.stackOfProgram,
                    names: names
                ).rows)
        }
        let (title, which) = number == 0 ? ("Block", "block") : ("Second block", "second block")
        let rows = [
            row("Size") { counted(Int(clamping: $0.block.size), "byte") },
            row("Type") { $0.block.typeName },
            row("Freed") { $0.when(isFree: true) },
            row("Freed for") { $0.call(true)?.purpose },
            row("Allocated") { $0.when(isFree: false) },
            row("Allocated for") { $0.call(false)?.purpose },
        ]
        return [
            .init(title: title, rows: rows.compactMap(\.self)),
            stack("Stack that freed the \(which)", isFree: true),
            stack("Stack that allocated the \(which)", isFree: false),
        ]
    }

    private func moment(_ isFree: Bool) -> ExplainedHeap.Moment? {
        heap.moments.first { $0.place == .init(block: index, isFree: isFree) }
    }

    private func call(_ isFree: Bool) -> ReportOutline.HeapCall? {
        zip(heap.moments, calls).first { $0.0.place == .init(block: index, isFree: isFree) }?.1
    }

    /// `thread 4712 "worker", 41 ms before`
    private func when(isFree: Bool) -> String? {
        guard let moment = moment(isFree) else { return nil }
        let words = [moment.threadWords(), moment.ageWords].compactMap(\.self)
        return words.isEmpty ? "at an unknown time" : words.joined(separator: ", ")
    }
}
