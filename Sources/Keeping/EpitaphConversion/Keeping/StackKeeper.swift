// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues
import Synchronization

/// When a dump becomes a report, finds out what only this machine knows for certain: the frames of
/// all stacks, their names and lines, and the call frame information behind them. After that, an
/// upgrade of the program costs the report no frames. docs/decisions/filing.md
///
/// Nothing that goes wrong here costs the report: anything that could not be found out is in the
/// list of problems.
package struct StackKeeper: Sendable {
    /// How much is found out.
    package enum Effort: Sendable, Equatable {
        /// Functions, inlined calls and lines.
        case lines
        /// Functions, found with our own readers only.
        case functions
        /// No stacks are kept.
        case nothing
    }

    /// The most frames of all stacks together; equal ones count each time.
    package static let frameLimit = 1 << 18
    /// The most bytes of names and paths.
    static let textByteLimit = 4 << 20

    private let images: any ELFImageSource
    private let effort: Effort
    private let time: TimeAllowance
    private let cache: SymbolCache

    /// - Parameters:
    ///   - images: finds the ELF files.
    ///   - effort: how much is found out.
    ///   - time: anything that takes longer is left out.
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

    /// Adds everything that can be found out to the snapshot.
    ///
    /// - Returns: the crash's signature; nil if there was no crash, or if part of the signature is
    ///   not known now. In that case it is made when it is needed.
    @discardableResult
    package func keep(in snapshot: inout ProcessSnapshot) -> KeptSignature? {
        guard effort != .nothing, snapshot.architecture.isCaptured else { return nil }
        var signature: KeptSignature?
        time.measure { clock in
            keepStacks(in: &snapshot, clock)
            guard effort == .lines, !clock.isOver,
                snapshot.exception != nil || snapshot.subjectThread != nil,
                Symbolicator.problemWithDebugInformation == nil
            else { return }
            signature = KeptSignature(
                CrashExplanation(snapshot, images: images, threads: .crashing, cache: cache))
        }
        return signature
    }

    private func keepStacks(in snapshot: inout ProcessSnapshot, _ clock: TimeAllowance.Clock) {
        var pass = KeepingPass(
            snapshot, images: images, effort: effort, clock: clock, cache: cache)
        pass.run()
        guard let kept = pass.kept else { return }
        snapshot.keptStacks = kept.stacks
        for (index, frames) in kept.callFrames {
            snapshot.modules[index].keptCallFrames = frames
        }
    }
}

/// Time that several pieces of work may take together. A program files reports when it starts, and
/// crashing often must not make its starts slow.
package final class TimeAllowance: Sendable {
    private let left: Mutex<Duration>

    /// - Parameter total: for all pieces of work together.
    package init(_ total: Duration) {
        left = Mutex(total)
    }

    /// Tells one piece of work whether time is left.
    struct Clock {
        fileprivate let deadline: ContinuousClock.Instant

        var isOver: Bool { ContinuousClock.now >= deadline }
    }

    /// Runs a piece of work and subtracts the time it took.
    func measure(_ work: (Clock) -> Void) {
        let start = ContinuousClock.now
        work(Clock(deadline: start + left.withLock { $0 }))
        left.withLock { $0 -= ContinuousClock.now - start }
    }
}
