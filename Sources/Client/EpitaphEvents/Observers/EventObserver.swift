// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Receives events inside the program.
    public protocol EventObserver: AnyObject, Sendable {
        /// Called after an event was written to disk, or failed to be, on this observer's own
        /// thread, one event at a time.
        ///
        /// May block, throw, and record events. Up to `EventLogOptions.observerLimit` events wait
        /// for it; it misses the rest, which are counted.
        func didRecord(_ event: Event) throws
    }
}

final class EventObservers: Sendable {
    private let subscriptions = ForkSafeMutex<[EventSubscription<Event>]>([])

    func add(_ subscription: EventSubscription<Event>) {
        subscriptions.withLock { $0.append(subscription) }
    }

    func offer(_ events: [Event]) -> Int {
        let present = subscriptions.withLock { subscriptions in
            subscriptions.removeAll { $0.isCancelled }
            return subscriptions
        }
        return present.reduce(0) { $0 + $1.offer(events) }
    }

    /// Whether any is busy but the one that calls this.
    var areBusyElsewhere: Bool {
        subscriptions.withLock { $0 }.contains(where: \.isBusyElsewhere)
    }
}
