// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// How an event log behaves. Values out of range become the nearest valid value.
    public struct EventLogOptions: Sendable, Equatable {
        /// How many events are written together, 1 to 1,000. They are written as soon as this many
        /// wait.
        public var batchCount = 50 { didSet { batchCount = batchCount.clamped(to: 1...1_000) } }
        /// How long an event waits for others before it is written, 10 ms to 60 s. 500 ms unless set.
        public var batchTime = Duration.milliseconds(500) {
            didSet { batchTime = batchTime.clamped(to: .milliseconds(10) ... .seconds(60)) }
        }
        /// How many events may wait in memory while the disk is slow, 1 to 100,000. Others are
        /// dropped.
        public var waitingLimit = 1_000 {
            didSet { waitingLimit = waitingLimit.clamped(to: 1...100_000) }
        }
        /// How many bytes of text the waiting events may have, 64 KiB to 256 MiB. Others are
        /// dropped.
        public var waitingLimitBytes = 4 << 20 {
            didSet { waitingLimitBytes = waitingLimitBytes.clamped(to: 1 << 16...256 << 20) }
        }
        /// The largest size of one event, in memory and as JSON, in bytes, 1 KiB to 1 MiB. Larger
        /// ones are dropped.
        public var eventLimitBytes = 64 << 10 {
            didSet { eventLimitBytes = eventLimitBytes.clamped(to: 1 << 10...1 << 20) }
        }
        /// How much disk space events may take, in bytes, 64 KiB to 1 TiB. The oldest are removed
        /// first.
        public var diskLimitBytes = 16 << 20 {
            didSet { diskLimitBytes = diskLimitBytes.clamped(to: 1 << 16...1 << 40) }
        }
        /// How long an event may wait on disk for the server, one minute to ten years. A week unless set.
        public var ageLimit = Duration.seconds(7 * 86_400) {
            didSet { ageLimit = ageLimit.clamped(to: .seconds(60) ... .seconds(3_660 * 86_400)) }
        }
        /// How many events may wait for a slow observer, 1 to 100,000. The observer misses the
        /// others.
        public var observerLimit = 1_000 {
            didSet { observerLimit = observerLimit.clamped(to: 1...100_000) }
        }
        /// Whether the name and e-mail address of the user are in events: only set this with that
        /// person's consent. Otherwise neither the disk nor observers get them.
        public var includesPersonalData = false
        /// How many bytes of events one request carries before compression, 1 KiB to 16 MiB. A
        /// larger batch is sent alone.
        public var requestBytes = 256 << 10 {
            didSet { requestBytes = requestBytes.clamped(to: 1 << 10...16 << 20) }
        }
        /// How failed requests are retried, and how many requests are sent in a minute. Only
        /// `retryInterval`, `retryLimit`, `retryBehaviour` and `reportsPerMin` apply.
        public var retries = UploadLimits()

        /// Options with the defaults given above.
        public init() {}
    }
}
