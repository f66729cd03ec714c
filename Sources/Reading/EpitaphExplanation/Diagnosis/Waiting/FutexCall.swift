// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

struct FutexCall {
    let address: UInt64
    let owner: ThreadWait.Owner?

    // FUTEX_WAIT, _LOCK_PI, _WAIT_BITSET, _LOCK_PI2, below two flag bits: linux/futex.h.
    private static let operationMask: UInt64 = 0x7f
    private static let wait: [UInt64] = [0, 9]
    private static let lockWithOwner: [UInt64] = [6, 13]
    /// FUTEX_TID_MASK
    private static let threadMask: UInt32 = 0x3fff_ffff

    init?(_ arguments: [UInt64], _ frames: [ReportFrame], _ memory: ReadableMemory) {
        guard arguments.count >= 3 else { return nil }
        address = arguments[0]
        let operation = arguments[1] & Self.operationMask
        if Self.lockWithOwner.contains(operation) {
            owner = Self.ownerInWord(address, memory)
        } else if Self.wait.contains(operation) {
            owner =
                Self.joinedThread(arguments, frames) ?? Self.mutexOwner(address, frames, memory)
        } else {
            return nil
        }
    }

    /// A priority-inheriting lock holds its owner's thread id: futex(2).
    private static func ownerInWord(
        _ address: UInt64, _ memory: ReadableMemory
    ) -> ThreadWait.Owner? {
        guard let word = memory.integer(at: address, as: UInt32.self), word & threadMask != 0
        else { return nil }
        return ThreadWait.Owner(
            threadID: UInt64(word & threadMask), relation: .holdsLock,
            evidence: "The lock at \(address.hex) has the id of its owner.")
    }

    /// pthread_join(3) waits while a word contains the other thread's id.
    private static func joinedThread(
        _ arguments: [UInt64], _ frames: [ReportFrame]
    ) -> ThreadWait.Owner? {
        let isJoin = frames.prefix(4).contains {
            $0.function?.has("pthread_join") == true
                || $0.function?.has("pthread_clockjoin") == true
        }
        let thread = arguments[2] & 0xffff_ffff
        guard isJoin, thread != 0 else { return nil }
        return ThreadWait.Owner(
            threadID: thread, relation: .isJoined,
            evidence: "pthread_join waits while the word at \(arguments[0].hex) is \(thread).")
    }

    /// glibc's `struct __pthread_mutex_s`, bits/struct_mutex.h: lock at 0, owner at 8.
    private static func mutexOwner(
        _ address: UInt64, _ frames: [ReportFrame], _ memory: ReadableMemory
    ) -> ThreadWait.Owner? {
        let isMutex = frames.prefix(4).contains {
            $0.function?.has("pthread_mutex_lock") == true
                || $0.function?.has("pthread_mutex_timedlock") == true
                || $0.function?.has("pthread_mutex_clocklock") == true
        }
        guard isMutex, let lock = memory.integer(at: address, as: UInt32.self), lock != 0,
            let owner = memory.integer(at: address &+ 8, as: UInt32.self), owner != 0
        else { return nil }
        return ThreadWait.Owner(
            threadID: UInt64(owner), relation: .holdsLock,
            evidence: "The mutex at \(address.hex) says that thread \(owner) owns it.")
    }
}
