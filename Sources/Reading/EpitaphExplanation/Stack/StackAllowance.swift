// SPDX-License-Identifier: Apache-2.0

/// How many of the other threads' frames are read: a dump may have 16,384 threads, each with a
/// stack that must be scanned. The crashing thread comes first and does not count.
struct StackAllowance {
    /// A thousand threads have about 30,000.
    private static let frameLimit = 1 << 17
    private static let timeLimit = Duration.seconds(60)

    private let deadline = ContinuousClock.now + timeLimit
    private var framesLeft = frameLimit
    /// Why no more stacks are read, as a sentence without a full stop; nil while they are.
    private(set) var note: String?

    var isLeft: Bool { note == nil }

    mutating func spend(_ frameCount: Int) {
        framesLeft -= frameCount
        if framesLeft <= 0 {
            note =
                "stacks were looked at up to \(Self.frameLimit.grouped) frames, the others were not"
        } else if ContinuousClock.now > deadline {
            note =
                "stacks were looked at for \(Self.timeLimit.components.seconds) seconds, the others "
                + "were not"
        }
    }
}
