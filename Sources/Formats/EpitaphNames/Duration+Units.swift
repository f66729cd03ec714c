// SPDX-License-Identifier: Apache-2.0

// Settings, C and clocks count in one unit.
extension Duration {
    package var inSeconds: Double {
        get { self / .seconds(1) }
        set { self = .seconds(newValue) }
    }

    /// Cut to whole ones.
    package var inMilliseconds: Int {
        get { Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000) }
        set { self = .milliseconds(newValue) }
    }
}
