// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Crashpad's packing of a Linux thread's scheduling into MINIDUMP_THREAD.Priority: 20 - nice in
/// byte 0, the policy by rising urgency in byte 1, the static priority in byte 2. All ones when it
/// is not known.
enum ThreadPriority {
    private static let unknown = UInt32.max
    /// Number in the record for SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5. DEADLINE 6 is
    /// Epitaph's addition.
    private static let policies: [(linux: Int32, record: UInt32)] = [
        (5, 1), (3, 2), (0, 3), (2, 4), (1, 5), (6, 6),
    ]

    static func encode(_ thread: ThreadSnapshot) -> UInt32 {
        guard let policy = policies.first(where: { $0.linux == thread.schedulingPolicy }),
            let nice = thread.nice, (-20...19).contains(nice)
        else { return unknown }
        let priority = UInt32(UInt8(clamping: thread.priority ?? 0))
        return UInt32(20 - nice) | policy.record << 8 | priority << 16
    }

    static func decode(_ value: UInt32, into thread: inout ThreadSnapshot) {
        let niceness = value & 0xff
        guard value != unknown, (1...40).contains(niceness),
            let policy = policies.first(where: { $0.record == value >> 8 & 0xff })
        else { return }
        thread.nice = 20 - Int32(niceness)
        thread.schedulingPolicy = policy.linux
        thread.priority = Int32(value >> 16 & 0xff)
    }
}
