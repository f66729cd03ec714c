// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc
import Synchronization

/// A value that another thread sets once. Waiting polls: a pipe would be a descriptor that the
/// program may close, and a lock would stay locked in a forked child.
final class AwaitedValue<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let box = AtomicLazyReference<Box>()
    private static var pauseMicroseconds: UInt32 { 1000 }

    var value: Value? { box.load()?.value }

    func set(_ value: Value) {
        _ = box.storeIfNil(Box(value))
    }

    /// Nil if it was not set within `seconds`, at most a day.
    func wait(seconds: Double) -> Value? {
        let end = ContinuousClock.now + .seconds(seconds.clamped(to: 0...86_400))
        while true {
            if let box = box.load() { return box.value }
            guard ContinuousClock.now < end else { return nil }
            usleep(Self.pauseMicroseconds)
        }
    }
}
