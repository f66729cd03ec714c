// SPDX-License-Identifier: Apache-2.0

/// A signal whose handler was not Epitaph's any more: its crashes may have gone unrecorded.
public struct DisplacedHandler: Sendable, Equatable {
    /// signal(7)
    public var signal: Int32
    /// The handler in its place; 0 for the default action, 1 for a signal that is ignored
    /// (signal(2)), nil where the dump does not tell.
    public var address: UInt64?

    public init(signal: Int32, address: UInt64?) {
        self.signal = signal
        self.address = address
    }
}
