// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// The definition of a crash loop.
    public struct CrashLoopPolicy: Sendable, Equatable {
        /// A crash is early within this time after the start of Epitaph, 1 s to an hour.
        public var earlyTime = Duration.seconds(10) {
            didSet { earlyTime = earlyTime.clamped(to: Self.earlyTimes) }
        }
        /// How many early crashes in a row are a crash loop, 1 to 100.
        public var crashCount = 3 {
            didSet { crashCount = crashCount.clamped(to: 1...100) }
        }

        private static let earlyTimes = Duration.seconds(1) ... .seconds(3_600)

        /// Three crashes, each within ten seconds.
        public init() {}

        /// - Parameters:
        ///   - earlyTime: until when a crash is early.
        ///   - crashCount: how many in a row are a crash loop.
        public init(earlyTime: Duration, crashCount: Int) {
            self.earlyTime = earlyTime.clamped(to: Self.earlyTimes)
            self.crashCount = crashCount.clamped(to: 1...100)
        }
    }

    /// Several launches in a row before this one crashed soon after their start.
    public struct CrashLoop: Sendable, Equatable {
        /// The number of early crashes in a row.
        public let crashCount: Int
        /// The id of the last one's report, which may still have to be made from its dump.
        public let lastReport: Epitaph.ID?
    }
}
