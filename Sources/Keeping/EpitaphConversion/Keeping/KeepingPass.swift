// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

/// Unwinds one snapshot's stacks, then names them, the crashing thread's first.
final class KeepingPass {
    private let snapshot: ProcessSnapshot
    private let images: any ELFImageSource
    private let effort: StackKeeper.Effort
    private let clock: TimeAllowance.Clock
    private let unwinder: StackUnwinder
    private let symbolicator: Symbolicator

    private var table = KeptStackTable()
    /// One frame for each place without a name yet, in the order of the stacks.
    private var unnamed: [StackFrame] = []
    private var seen: Set<UInt64> = []
    private(set) var crash: Backtrace?

    init(
        _ snapshot: ProcessSnapshot, images: any ELFImageSource, effort: StackKeeper.Effort,
        clock: TimeAllowance.Clock, cache: SymbolCache
    ) {
        self.snapshot = snapshot
        self.images = images
        self.effort = effort
        self.clock = clock
        unwinder = StackUnwinder(snapshot: snapshot, images: images)
        symbolicator = Symbolicator(
            snapshot: snapshot, images: images,
            sources: effort == .lines ? .debugInformation : .symbolTables, cache: cache)
    }

    var kept: (stacks: KeptStacks, callFrames: [Int: KeptCallFrames])? {
        guard !table.kept.stacks.isEmpty else { return nil }
        return (table.kept, unwinder.callFrames(at: seen.sorted()))
    }

    /// With the types of blocks that were objects; nil if nothing is sampled.
    var heap: HeapSampling? { snapshot.heap?.namingTypes(symbolicator) }

    func run() {
        unwind()
        name()
    }

    private func unwind() {
        crash = unwinder.unwindException()
        if let crash {
            add(crash, threadID: snapshot.exception?.threadID ?? 0, isOfCrash: true)
        }
        for (place, moment) in snapshot.heap?.moments ?? [] where moment.registers != nil {
            add(
                StackUnwinder.unwind(moment, of: snapshot, images: images),
                threadID: moment.threadID ?? 0, isOfCrash: false, at: place)
        }
        let crashingID = snapshot.crashingThread?.id
        let others = snapshot.threads.filter { $0.id != crashingID && $0.registers != nil }
        for (index, thread) in others.enumerated() {
            let left = others.count - index
            guard !clock.isOver else {
                table.kept.problems.append(
                    "there was no time to unwind \(left) of \(others.count + 1) threads")
                return
            }
            guard table.frameCount < StackKeeper.frameLimit else {
                table.kept.problems.append(
                    "the stacks of \(left) threads are not kept: the others have "
                        + "\(table.frameCount) frames")
                return
            }
            add(unwinder.unwind(thread), threadID: thread.id, isOfCrash: false)
            // A thousand stacks are more than memory should hold at once.
            thread.stack?.bytes.forget()
        }
    }

    private func add(
        _ backtrace: Backtrace, threadID: UInt64, isOfCrash: Bool,
        at moment: HeapMoment.Place? = nil
    ) {
        guard !backtrace.frames.isEmpty else { return }
        table.add(
            backtrace, of: snapshot, threadID: threadID, isOfCrash: isOfCrash, at: moment)
        for frame in backtrace.frames where seen.insert(frame.lookupAddress).inserted {
            unnamed.append(frame)
        }
    }

    private func name() {
        if effort == .lines, let problem = Symbolicator.problemWithDebugInformation {
            table.kept.problems.append("there are no lines: \(problem)")
        }
        for (index, frame) in unnamed.enumerated() {
            guard !clock.isOver else {
                table.kept.problems.append(
                    "there was no time to name \(unnamed.count - index) of \(unnamed.count) places")
                break
            }
            // Offsets count from the place itself; a report counts from where each frame continues.
            var place = frame
            place.instructionPointer = frame.lookupAddress
            guard table.add(symbolicator.symbolicate(place), at: frame.lookupAddress) else {
                table.kept.problems.append(
                    "names of \(unnamed.count - index) of \(unnamed.count) places are too long to "
                        + "be kept")
                break
            }
        }
    }
}
