// SPDX-License-Identifier: Apache-2.0

import Snapshot
import StackUnwinding
import Symbolication

/// Finds out, when a dump becomes a report, what only this machine can tell for certain: the frames
/// of all stacks, their names and lines, and the call frame information they rest on. An upgrade
/// before somebody reads the report then costs no frame. docs/decisions/kept-stacks.md
///
/// Nothing that goes wrong here costs the report: what was not found out is said in the list of
/// problems.
public struct StackKeeper: Sendable {
    /// How much is found out.
    public enum Effort: Sendable, Equatable {
        /// Functions, inlined calls and lines.
        case lines
        /// Functions, with our own readers alone.
        case functions
        case nothing
    }

    /// Frames of all stacks together, those that are alike counted each time.
    public static let frameLimit = 1 << 18
    /// Bytes of names and paths.
    static let textByteLimit = 4 << 20

    private let images: any ELFImageSource
    private let effort: Effort
    private let time: TimeAllowance

    /// - Parameters:
    ///   - images: the ELF files to unwind and name with.
    ///   - time: what is not done within it is left out.
    public init(
        images: any ELFImageSource = InstalledImages(), effort: Effort = .lines,
        time: TimeAllowance = TimeAllowance(.seconds(10))
    ) {
        self.images = images
        self.effort = effort
        self.time = time
    }

    /// Adds what can be found out to the snapshot.
    public func keep(in snapshot: inout ProcessSnapshot) {
        guard effort != .nothing, snapshot.architecture.isCaptured else { return }
        time.measure { clock in
            var pass = KeepingPass(snapshot, images: images, effort: effort, clock: clock)
            pass.run()
            guard let kept = pass.kept else { return }
            snapshot.keptStacks = kept.stacks
            for (index, frames) in kept.callFrames {
                snapshot.modules[index].keptCallFrames = frames
            }
        }
    }
}
