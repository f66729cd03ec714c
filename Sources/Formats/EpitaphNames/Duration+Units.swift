// SPDX-License-Identifier: Apache-2.0

extension Duration {
    package var inSeconds: Double {
        get { self / .seconds(1) }
        set { self = Duration(clampedSeconds: newValue) }
    }

    /// `Duration.seconds` may trap. Clamps to about three thousand years; NaN is zero.
    package init(clampedSeconds seconds: Double) {
        self = .seconds(seconds.isNaN ? 0 : min(max(seconds, -1e11), 1e11))
    }

    /// Truncated.
    package var inMilliseconds: Int {
        get {
            let (seconds, attoseconds) = components
            return Int(
                clamping: Int128(seconds) * 1_000 + Int128(attoseconds / 1_000_000_000_000_000))
        }
        set { self = .milliseconds(newValue) }
    }
}
