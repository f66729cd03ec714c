// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem

/// A mutex that nobody holds while the program forks: a child finds it free, and its value whole.
/// The standard library's `Mutex` keeps the number of a thread, which is another one in the child,
/// and then ends the process with a fatal error. `body` must neither wait for anything nor take
/// this mutex again.
package struct ForkSafeMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Both with a stable address.
    private let lock: UnsafeMutablePointer<UInt32>
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: 0)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        lock.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        epitaph_lock_take(lock)
        defer { epitaph_lock_give(lock) }
        return try body(&value.pointee)
    }
}
