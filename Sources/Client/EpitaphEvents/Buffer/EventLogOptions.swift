// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// Options of an event log. Values out of range are clamped.
    public struct EventLogOptions: Sendable, Equatable {
        /// Events per batch, 1 to 1,000. A full batch is written at once.
        public var batchCount = 50 { didSet { batchCount = batchCount.clamped(to: 1...1_000) } }
        /// How long an event waits for its batch to fill, 10 ms to 60 s.
        public var batchTime = Duration.milliseconds(500) {
            didSet { batchTime = batchTime.clamped(to: .milliseconds(10) ... .seconds(60)) }
        }
        /// Limit on events waiting in memory, 1 to 100,000. Later ones are dropped.
        public var waitingLimit = 1_000 {
            didSet { waitingLimit = waitingLimit.clamped(to: 1...100_000) }
        }
        /// Limit on the text of waiting events, 64 KiB to 256 MiB. Later ones are dropped.
        public var waitingLimitBytes = 4 << 20 {
            didSet { waitingLimitBytes = waitingLimitBytes.clamped(to: 1 << 16...256 << 20) }
        }
        /// Largest event, in memory and as JSON, in bytes, 1 KiB to 1 MiB. Larger ones are dropped.
        public var eventLimitBytes = 128 << 10 {
            didSet { eventLimitBytes = eventLimitBytes.clamped(to: 1 << 10...1 << 20) }
        }
        /// Disk space for events, in bytes, 64 KiB to 1 TiB. The oldest are removed first.
        public var diskLimitBytes = 16 << 20 {
            didSet { diskLimitBytes = diskLimitBytes.clamped(to: 1 << 16...1 << 40) }
        }
        /// How long an event may wait on disk for the server, one minute to ten years.
        public var ageLimit = Duration.seconds(7 * 86_400) {
            didSet { ageLimit = ageLimit.clamped(to: .seconds(60) ... .seconds(3_660 * 86_400)) }
        }
        /// How many events may wait for a slow observer, 1 to 100,000. It misses the rest.
        public var observerLimit = 1_000 {
            didSet { observerLimit = observerLimit.clamped(to: 1...100_000) }
        }
        /// Include the user's name and e-mail address. Requires the user's consent.
        public var includesPersonalData = false
        /// Bytes per request before compression, 1 KiB to 16 MiB. A larger batch is sent alone.
        public var requestBytes = 256 << 10 {
            didSet { requestBytes = requestBytes.clamped(to: 1 << 10...16 << 20) }
        }
        /// Only `retryInterval`, `retryLimit`, `retryBehaviour` and `reportsPerMin` apply.
        public var retries = UploadLimits()

        public init() {}
    }
}
