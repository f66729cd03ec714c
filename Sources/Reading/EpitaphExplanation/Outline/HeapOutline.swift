// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The calls that freed and allocated sampled blocks.
extension ReportOutline {
    package struct HeapCall {
        /// `Freed by thread 4712 "worker", 41 ms before`
        package let title: String
        /// `request = 4, tenant = acme`, as the thread's scope had then; nil if it had none.
        package let purpose: String?
        package let stack: ReportStack?

        /// Without the frames of the allocator, whose names say nothing new.
        package var stackOfProgram: ReportStack? {
            guard var rest = stack else { return nil }
            let count = rest.runtimeCounts.innermost
            if count < rest.frames.count { rest.frames.removeFirst(count) }
            return rest
        }
    }

    /// The last one first, as in the report.
    package var heapCalls: [HeapCall] {
        guard let heap = explanation.heap else { return [] }
        let hasMany = heap.sampling.blocks.count > 1
        return heap.moments.map { moment in
            let block = heap.sampling.blocks[moment.place.block]
            let verb = moment.verb
            let what =
                hasMany
                ? "The \(block.size.grouped)-byte block at \(block.address.hex): \(verb)"
                : verb.prefix(1).uppercased() + verb.dropFirst()
            let thread = moment.threadWords().map { " by \($0)" } ?? ""
            let attributes = moment.moment.attributes.map { "\($0.name) = \($0.value)" }
            return HeapCall(
                title: what + thread + (moment.ageWords.map { ", \($0)" } ?? ""),
                purpose: attributes.isEmpty ? nil : attributes.joined(separator: ", "),
                stack: moment.stack)
        }
    }

    /// `one allocation in 1,000 is sampled, 52,341 were, 2 errors were found`
    package var sampling: Row? {
        guard let heap = snapshot.heap else { return nil }
        let parts = [
            heap.rateWords, heap.sampledCount.map { "\($0.grouped) were" },
            heap.caughtCount.map { "\($0.grouped) \($0 == 1 ? "error was" : "errors were") found" },
        ].compactMap(\.self)
        return Row("Allocations", parts.isEmpty ? "sampled" : parts.joined(separator: ", "))
    }
}
