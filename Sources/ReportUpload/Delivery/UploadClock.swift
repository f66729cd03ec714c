// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// Time as the uploader sees and spends it. A seam: tests make days pass without waiting.
public protocol UploadClock: Sendable {
    /// The time of day, which people and programs set.
    func now() -> Date

    /// Seconds since some moment, which nobody sets.
    func monotonicSeconds() -> Double

    /// Whether the uploader is to come to an end.
    var isStopped: Bool { get }

    /// Waits, but no longer than until the uploader is to come to an end.
    func wait(seconds: Double)
}

/// The machine's own clocks.
public struct SystemUploadClock: UploadClock {
    private let stopSignal: StopSignal
    private let start = ContinuousClock().now

    /// - Parameter stopSignal: ends every wait, and the pass at the next report.
    public init(stopSignal: StopSignal) {
        self.stopSignal = stopSignal
    }

    public func now() -> Date { Date() }

    public func monotonicSeconds() -> Double {
        (ContinuousClock().now - start) / .seconds(1)
    }

    public var isStopped: Bool { stopSignal.isStopped }

    public func wait(seconds: Double) {
        _ = stopSignal.wait(seconds: seconds)
    }
}
