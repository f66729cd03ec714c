// SPDX-License-Identifier: Apache-2.0

/// When crashes soon after the start count as a crash loop.
public struct CrashLoopPolicy: Sendable, Equatable {
    /// A crash within this time after the start of Epitaph is an early one. Seconds, 1 to 3,600.
    public var earlySeconds = 10.0 {
        didSet { earlySeconds = earlySeconds.clamped(to: 1...3600) }
    }
    /// So many early crashes in a row are a crash loop. 1 to 100.
    public var crashCount = 3 {
        didSet { crashCount = crashCount.clamped(to: 1...100) }
    }

    /// Three crashes within ten seconds each.
    public init() {}

    /// - Parameters:
    ///   - earlySeconds: until when a crash is an early one.
    ///   - crashCount: how many in a row are a crash loop.
    public init(earlySeconds: Double, crashCount: Int) {
        self.earlySeconds = earlySeconds.clamped(to: 1...3600)
        self.crashCount = crashCount.clamped(to: 1...100)
    }
}

/// The launches before this one crashed soon after their starts, one after the other.
public struct CrashLoop: Sendable, Equatable {
    /// How many of them did so without one between that did not.
    public let crashCount: Int
    /// The id of the last one's report, which may still have to be made of its dump.
    public let lastReport: UUID?
}
