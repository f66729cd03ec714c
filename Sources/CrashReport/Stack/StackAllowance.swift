// SPDX-License-Identifier: Apache-2.0

/// How much of the threads besides the crashing one is looked at: a dump may have 16,384 of them, each
/// with a stack that takes a scan. The crashing thread comes first and is not part of this.
struct StackAllowance {
    /// A thousand threads have some 30,000.
    private static let frameLimit = 1 << 17
    private static let timeLimit = Duration.seconds(60)

    private let deadline = ContinuousClock.now + timeLimit
    private var framesLeft = frameLimit
    /// Why no more stacks are looked at, as a sentence without a full stop; nil while there are.
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
