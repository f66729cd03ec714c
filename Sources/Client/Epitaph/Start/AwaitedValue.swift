// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

/// A value that another thread sets once. Waiting polls: a pipe would be a descriptor that the
/// program may close, and a lock would stay locked in a forked child.
final class AwaitedValue<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let box = AtomicLazyReference<Box>()

    var value: Value? { box.load()?.value }

    func set(_ value: Value) {
        _ = box.storeIfNil(Box(value))
    }

    /// Nil if it was not set within `seconds`, at most a day.
    func wait(seconds: Double) -> Value? {
        let end = ContinuousClock.now + .seconds(seconds.clamped(to: 0...86_400))
        return polled(until: end, everyMicroseconds: 1_000) { value }
    }
}
