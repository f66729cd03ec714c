// SPDX-License-Identifier: Apache-2.0

// Settings, C and clocks count in one unit.
extension Duration {
    package var inSeconds: Double {
        get { self / .seconds(1) }
        set { self = .seconds(newValue) }
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
