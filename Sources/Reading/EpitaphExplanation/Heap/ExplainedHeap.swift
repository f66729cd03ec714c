// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The sampled allocations of a report, with the stacks of the calls that allocated and freed them.
package struct ExplainedHeap: Sendable {
    package let sampling: HeapSampling
    /// The calls that freed and allocated each block, in this order.
    package let moments: [Moment]

    package struct Moment: Sendable {
        package let place: HeapMoment.Place
        package let moment: HeapMoment
        /// Nil if its registers are unknown.
        package let stack: ReportStack?
        /// Nanoseconds before the capture; nil if unknown or impossible.
        package let age: UInt64?
        /// The innermost certain call of the program's own code.
        package let origin: ReportFrame?
    }

    init?(_ snapshot: ProcessSnapshot, stacks: [HeapMoment.Place: ReportStack]) {
        guard let sampling = snapshot.heap else { return nil }
        self.sampling = sampling
        moments = sampling.moments.map { place, moment in
            let stack =
                stacks[place]
                ?? moment.registers.map { ReportStack($0, modules: snapshot.modules) }
            let age = sampling.now.flatMap { now in
                moment.time.flatMap { $0 <= now ? now - $0 : nil }
            }
            var moment = moment
            // Of a thread that is still there.
            moment.threadName =
                moment.threadName ?? snapshot.threads.first { $0.id == moment.threadID }?.name
            return Moment(
                place: place, moment: moment, stack: stack, age: age,
                origin: stack.flatMap { AllocatorFrames.origin($0.frames, snapshot.modules) })
        }
    }

    /// What the sampler found in a call of this thread, in a process that lived on.
    func found(by thread: ExplainedThread?, of snapshot: ProcessSnapshot) -> Diagnosis? {
        SampledHeapDiagnosis.found(
            self,
            HeapErrorWords(
                self, frames: thread?.stack?.frames ?? [], of: snapshot,
                threadID: thread?.thread.id))
    }

    func allocation(of block: Int) -> Moment? { moment(.init(block: block, isFree: false)) }

    func freeing(of block: Int) -> Moment? { moment(.init(block: block, isFree: true)) }

    private func moment(_ place: HeapMoment.Place) -> Moment? {
        moments.first { $0.place == place }
    }
}
