// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The suspended task that awaits another one: the parent of an `async let` or of a task group's
/// child, or one that awaits a task's value. AsyncTask of swift/ABI/Task.h with its fragments, and
/// TaskDependencyStatusRecord of swift/ABI/TaskStatus.h, tried with Swift 6.3. The record is a
/// task's innermost one while the task waits. It has both tasks' addresses, so it proves every
/// offset.
struct SwiftAwaitingTask {
    let memory: CapturedMemory

    /// In words.
    private enum Place {
        static let context: UInt64 = 8
        static let record: UInt64 = 13
        /// A child's parent, otherwise the latest task that awaits the value.
        static let awaitedBy: UInt64 = 26
        static let group: UInt64 = 28
    }

    /// Bytes from a task to its outermost context, by the size of its result.
    private static let reach = stride(from: UInt64(240), through: 512, by: 16)

    /// Where the awaiting task continues; nil if no task awaits, or none for certain.
    func context(awaiting outermost: UInt64) -> UInt64? {
        for distance in Self.reach {
            let task = outermost &- distance
            // Both are objects of the same class.
            guard let kind = word(0, of: task), kind != 0,
                let other = word(Place.awaitedBy, of: task), other != 0, other % 16 == 0,
                word(0, of: other) == kind, awaits(other, task)
            else { continue }
            return word(Place.context, of: other)
        }
        return nil
    }

    private func awaits(_ other: UInt64, _ task: UInt64) -> Bool {
        // Flags with the record's kind in the lowest byte, the next record, two words for what the
        // task waits for, what that is in 32 bits (the heap left the rest), and the task itself.
        guard let record = word(Place.record, of: other), record != 0,
            let flags = word(0, of: record), UInt8(truncatingIfNeeded: flags) == 0,
            let awaited = word(2, of: record), let kind = word(4, of: record),
            word(5, of: record) == other
        else { return false }
        switch UInt32(truncatingIfNeeded: kind) {
        case 1: return awaited == task
        case 3: return awaited == word(Place.group, of: task)
        default: return false
        }
    }

    private func word(_ index: UInt64, of address: UInt64) -> UInt64? {
        memory.stackWord(at: address &+ index &* 8)
    }
}
