// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphSymbols
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

/// Stores in a new report what only this machine knows for certain: the frames of all stacks, their
/// names and lines, and the call frame information behind them. docs/decisions/filing.md
///
/// No failure costs the report: what could not be found out is in the list of problems.
package struct StackKeeper: Sendable {
    package enum Effort: Sendable, Equatable {
        case lines
        /// Functions, by our own readers only.
        case functions
        case nothing
    }

    /// The most frames of all stacks together; equal ones count each time.
    package static let frameLimit = 1 << 18
    /// Of names and paths.
    static let textByteLimit = 4 << 20

    private let images: any ELFImageSource
    private let effort: Effort
    private let time: TimeAllowance
    private let cache: SymbolCache

    /// - Parameters:
    ///   - time: work beyond it is left out.
    ///   - cache: shared by the snapshots of many dumps, one after the other.
    package init(
        images: any ELFImageSource = InstalledImages(), effort: Effort = .lines,
        time: TimeAllowance = TimeAllowance(.seconds(10)), cache: SymbolCache = SymbolCache()
    ) {
        self.images = images
        self.effort = effort
        self.time = time
        self.cache = cache
    }

    /// Adds all findings to the snapshot.
    ///
    /// - Returns: the crash's signature; nil without a crash, or if part of it is unknown now. It
    ///   is then made on demand.
    @discardableResult
    package func keep(in snapshot: inout ProcessSnapshot) -> KeptSignature? {
        guard effort != .nothing, snapshot.architecture.isCaptured else { return nil }
        var signature: KeptSignature?
        time.measure { clock in
            let crash = keepStacks(in: &snapshot, clock)
            if snapshot.heap?.error != nil, !clock.isOver {
                let told = heapWords(of: snapshot)
                snapshot.heap?.told = told
            }
            guard effort == .lines, !clock.isOver,
                snapshot.exception != nil || snapshot.subjectThread != nil,
                Symbolicator.problemWithDebugInformation == nil
            else { return }
            signature = KeptSignature(
                CrashExplanation(
                    snapshot, images: images, threads: .crashing, crash: crash, cache: cache))
        }
        return signature
    }

    /// Servers that do not unwind get the error in words.
    private func heapWords(of snapshot: ProcessSnapshot) -> HeapWords? {
        CrashExplanation(
            snapshot, images: images, naming: effort == .lines ? .symbols : .keptNames,
            threads: .crashing, cache: cache
        ).heapWords
    }

    /// Returns the crashing thread's backtrace, if there is one.
    private func keepStacks(
        in snapshot: inout ProcessSnapshot, _ clock: TimeAllowance.Clock
    ) -> Backtrace? {
        let pass = KeepingPass(
            snapshot, images: images, effort: effort, clock: clock, cache: cache)
        pass.run()
        snapshot.heap = pass.heap
        guard let kept = pass.kept else { return pass.crash }
        snapshot.keptStacks = kept.stacks
        for (index, frames) in kept.callFrames {
            snapshot.modules[index].keptCallFrames = frames
        }
        return pass.crash
    }
}

/// A shared time budget: reports are filed at a program's start, and must not slow it down.
package final class TimeAllowance: Sendable {
    private let left: ForkSafeMutex<Duration>

    package init(_ total: Duration) {
        left = ForkSafeMutex(total)
    }

    struct Clock {
        fileprivate let deadline: ContinuousClock.Instant

        var isOver: Bool { ContinuousClock.now >= deadline }
    }

    func measure(_ work: (Clock) -> Void) {
        let start = ContinuousClock.now
        work(Clock(deadline: start + left.withLock { $0 }))
        left.withLock { $0 -= ContinuousClock.now - start }
    }
}
