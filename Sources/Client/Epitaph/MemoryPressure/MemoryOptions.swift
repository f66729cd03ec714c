// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What happens when memory becomes scarce.
    public enum MemoryMode: Sendable, Equatable, CaseIterable {
        /// Nothing is watched.
        case none
        /// Warnings, and a provisional dump of the thread that matters in a file of some hundred
        /// KiB; of all threads if that cannot be taken.
        case light
        /// Warnings, and a provisional dump of all threads.
        case full
    }

    /// How memory is watched. Values out of range become the nearest valid value.
    public struct MemoryOptions: Sendable, Equatable {
        /// What happens when memory becomes scarce. The default is `light`.
        public var mode = MemoryMode.light
        /// The thresholds.
        public var marks = PressureJudge.Marks()
        /// Name of the thread that dumps are about, pthread_setname_np(3). Nil, the default, for
        /// the thread that fills memory: on a processor and taking new pages, else the first one.
        public var threadName: String?
        /// The longest time between two checks, 100 ms to a minute. The default is 1 s. Near the
        /// threshold checks are as frequent as memory can rise.
        public var pollInterval = Duration.seconds(1) {
            didSet {
                pollInterval = pollInterval.clamped(to: .milliseconds(100) ... .seconds(60))
            }
        }
        /// Dumps taken within an hour, 1 to 32. The default is 6. Further warnings have no dump.
        public var dumpsPerHour = 6 {
            didSet { dumpsPerHour = min(max(dumpsPerHour, 1), 32) }
        }

        /// Options with the defaults.
        public init() {}
    }

    package struct MemoryEvent: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            /// Memory is scarce from now on. `cause` is a clause.
            case began(cause: String)
            case ended
        }

        package var kind: Kind
        package var reading: MemoryReading
        /// Whether there is a provisional dump of this warning.
        package var hasDump: Bool

        package init(kind: Kind, reading: MemoryReading, hasDump: Bool) {
            self.kind = kind
            self.reading = reading
            self.hasDump = hasDump
        }
    }
}
