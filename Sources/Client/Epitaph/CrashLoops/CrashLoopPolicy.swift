// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// How many crashes soon after the start count as a crash loop.
    public struct CrashLoopPolicy: Sendable, Equatable {
        /// A crash is early if it happens within this time after the start of Epitaph, in seconds,
        /// 1 to 3,600.
        public var earlySeconds = 10.0 {
            didSet { earlySeconds = earlySeconds.clamped(to: 1...3600) }
        }
        /// How many early crashes in a row are a crash loop, 1 to 100.
        public var crashCount = 3 {
            didSet { crashCount = crashCount.clamped(to: 1...100) }
        }

        /// Three crashes, each within ten seconds.
        public init() {}

        /// - Parameters:
        ///   - earlySeconds: up to when a crash is early.
        ///   - crashCount: how many in a row are a crash loop.
        public init(earlySeconds: Double, crashCount: Int) {
            self.earlySeconds = earlySeconds.clamped(to: 1...3600)
            self.crashCount = crashCount.clamped(to: 1...100)
        }
    }
}

extension Epitaph {
    /// The launches before this one crashed soon after their start, one after the other.
    public struct CrashLoop: Sendable, Equatable {
        /// How many early crashes in a row there were.
        public let crashCount: Int
        /// The id of the last one's report, which may still have to be made from its dump.
        public let lastReport: Epitaph.ID?
    }
}
