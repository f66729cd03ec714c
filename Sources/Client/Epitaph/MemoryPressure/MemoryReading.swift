// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Memory figures of a process and its control group at one moment. A figure is nil if it
    /// cannot be read: on an old kernel, with control groups of version 1, in a sandbox.
    public struct MemoryReading: Sendable, Equatable {
        /// Resident memory of the process, VmRSS of /proc/self/status.
        public var residentBytes: UInt64?
        /// The control group that is nearest to its limit.
        public var group: Group?
        /// MemAvailable and MemTotal of /proc/meminfo.
        public var availableBytes: UInt64?
        /// Memory of the whole machine.
        public var totalBytes: UInt64?
        /// Share of the last ten seconds in which some task waited for memory, in percent: `some
        /// avg10` of memory.pressure or /proc/pressure/memory.
        public var stallPercent: Double?
        /// How often the group reached its limits: `high` plus `max` of memory.events.
        public var limitHits: UInt64?
        /// Processes killed in the group: `oom_kill` of memory.events or memory.oom_control.
        public var kills: UInt64?

        /// Usage and limit of a control group.
        public struct Group: Sendable, Equatable {
            /// Its directory.
            public var path: String
            /// memory.current, or memory.usage_in_bytes, without the pages of files in
            /// memory.stat, which the kernel can give back.
            public var usedBytes: UInt64
            /// The smaller of memory.max and memory.high, or memory.limit_in_bytes.
            public var limitBytes: UInt64

            /// Creates the figures of a group.
            public init(path: String, usedBytes: UInt64, limitBytes: UInt64) {
                self.path = path
                self.usedBytes = usedBytes
                self.limitBytes = limitBytes
            }
        }

        /// A reading without any figures.
        public init() {}

        /// The used share of memory, 0 to 1: of the group's limit, or else of the machine's memory.
        /// Nil if neither is known.
        public var usedShare: Double? {
            if let group, group.limitBytes > 0 {
                return Double(group.usedBytes) / Double(group.limitBytes)
            }
            guard let availableBytes, let totalBytes, totalBytes > 0 else { return nil }
            return 1 - Double(min(availableBytes, totalBytes)) / Double(totalBytes)
        }

        func freeBytes(below share: Double) -> Double? {
            if let group, group.limitBytes > 0 {
                return Double(group.limitBytes) * share - Double(group.usedBytes)
            }
            guard let availableBytes, let totalBytes, totalBytes > 0 else { return nil }
            return Double(availableBytes) - Double(totalBytes) * (1 - share)
        }

        /// For people: `resident 480.0 MiB; 590.1 of 600.0 MiB in /sys/fs/cgroup/app.slice; …`
        public var words: String {
            var parts: [String] = []
            if let residentBytes { parts.append("resident \(Self.mebibytes(residentBytes))") }
            if let group {
                parts.append(
                    "\(Self.mebibytes(group.usedBytes)) of \(Self.mebibytes(group.limitBytes)) in "
                        + group.path)
            } else if let availableBytes, let totalBytes {
                parts.append(
                    "\(Self.mebibytes(availableBytes)) of \(Self.mebibytes(totalBytes)) available")
            }
            if let stallPercent { parts.append("\(stallPercent) % of ten seconds stalled") }
            if let limitHits { parts.append("limits met \(limitHits) times") }
            if let kills { parts.append("\(kills) processes of the group killed so far") }
            return parts.joined(separator: "; ")
        }

        private static func mebibytes(_ bytes: UInt64) -> String {
            let tenths = bytes / (1 << 20) * 10 + bytes % (1 << 20) * 10 / (1 << 20)
            return "\(tenths / 10).\(tenths % 10) MiB"
        }
    }
}
