// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

extension Epitaph {
    /// Receives events inside the program.
    public protocol EventObserver: AnyObject, Sendable {
        /// An event was recorded, and written to disk unless that failed. Called on this observer's
        /// own thread, one event at a time.
        ///
        /// It may take its time, throw, and record events itself. While it is busy, up to
        /// `EventLogOptions.observerLimit` events wait; it misses the others, and they are counted.
        func didRecord(_ event: Event) throws
    }
}

/// The observers of a log.
final class EventObservers: Sendable {
    private let subscriptions = Mutex<[EventSubscription<Event>]>([])

    func add(_ subscription: EventSubscription<Event>) {
        subscriptions.withLock { $0.append(subscription) }
    }

    /// - Returns: how many events observers have missed.
    func offer(_ events: [Event]) -> Int {
        let present = subscriptions.withLock { subscriptions in
            subscriptions.removeAll { $0.isCancelled }
            return subscriptions
        }
        return present.reduce(0) { $0 + $1.offer(events) }
    }

    var areIdle: Bool { subscriptions.withLock { $0 }.allSatisfy(\.isIdle) }
}
