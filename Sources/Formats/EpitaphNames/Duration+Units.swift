// SPDX-License-Identifier: Apache-2.0

// Settings, C and clocks count in one unit.
extension Duration {
    package var inSeconds: Double {
        get { self / .seconds(1) }
        set { self = Duration(clampedSeconds: newValue) }
    }

    /// `Duration.seconds` ends the process at a number that it cannot hold. Clocks that jump and
    /// files of others give such: they become at most three thousand years, and what is no number
    /// becomes zero.
    package init(clampedSeconds seconds: Double) {
        self = .seconds(seconds.isNaN ? 0 : min(max(seconds, -1e11), 1e11))
    }

    /// Cut to whole ones.
    package var inMilliseconds: Int {
        get {
            let (seconds, attoseconds) = components
            return Int(
                clamping: Int128(seconds) * 1_000 + Int128(attoseconds / 1_000_000_000_000_000))
        }
        set { self = .milliseconds(newValue) }
    }
}
