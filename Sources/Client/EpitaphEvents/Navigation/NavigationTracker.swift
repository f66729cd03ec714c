// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Is called when the daemon enters another phase or route.
    public protocol NavigationListener: AnyObject, Sendable {
        /// Called for each step on this listener's thread. May block, throw, and cause more steps.
        func didNavigate(_ step: NavigationDetails) throws
    }

    /// Tracks the phase of a daemon and the route of its work, the equivalent of an app's screens.
    public final class NavigationTracker: Sendable {
        private struct Place {
            var name: String
            var arguments: [String: Epitaph.Value]?
            var since: Double
        }

        private struct State {
            var places: [NavigationDetails.Kind: Place] = [:]
            var listeners: [EventSubscription<NavigationDetails>] = []
        }

        private let recorder: any EventRecorder
        private let clock: any StoppableClock
        private let state = ForkSafeMutex(State())

        /// Limit on a name, in bytes; the rest is cut.
        public static let nameLimitBytes = 256
        /// How many steps may wait for a listener.
        private static let listenerLimit = 1_000

        /// - Parameter clock: measures the time in each place.
        package init(recorder: any EventRecorder, clock: any StoppableClock) {
            self.recorder = recorder
            self.clock = clock
        }

        /// The current phase; nil before the first.
        public var phase: String? { state.withLock { $0.places[.phase]?.name } }
        /// The current route; nil before the first.
        public var route: String? { state.withLock { $0.places[.route]?.name } }

        /// Enters a phase, such as `loading` or `serving`. Does nothing if already in it with the
        /// same arguments. Values with secret names are masked, as in log lines.
        public func enter(phase: String, arguments: [String: Epitaph.Value] = [:]) {
            enter(.phase, phase, arguments)
        }

        /// Enters a route, such as `GET /ledger/{id}` with the id as an argument. Does nothing if
        /// already in it with the same arguments. Values with secret names are masked.
        public func enter(route: String, arguments: [String: Epitaph.Value] = [:]) {
            enter(.route, route, arguments)
        }

        /// Calls a listener for future steps. It is retained until the subscription is cancelled.
        @discardableResult
        public func addListener(
            _ listener: any NavigationListener
        ) -> EventSubscription<NavigationDetails> {
            addListener { try listener.didNavigate($0) }
        }

        @discardableResult
        public func addListener(
            _ body: @escaping @Sendable (NavigationDetails) throws -> Void
        ) -> EventSubscription<NavigationDetails> {
            let subscription = EventSubscription(
                name: "epitaph-navig", limit: Self.listenerLimit, body)
            state.withLock { $0.listeners.append(subscription) }
            return subscription
        }

        private func enter(
            _ kind: NavigationDetails.Kind, _ name: String, _ arguments: [String: Epitaph.Value]
        ) {
            let arguments = arguments.isEmpty ? nil : SecretNames([]).masked(arguments)
            let name = name.cut(toBytes: Self.nameLimitBytes)
            let time = clock.monotonicSeconds()
            // One lock for everything, so that listeners see the steps in order.
            let step: NavigationDetails? = state.withLock { state in
                let origin = state.places[kind]
                guard origin?.name != name || origin?.arguments != arguments else { return nil }
                state.places[kind] = Place(name: name, arguments: arguments, since: time)
                let step = NavigationDetails(
                    kind: kind, destination: name, origin: origin?.name,
                    secondsAtOrigin: origin.map { max(time - $0.since, 0) },
                    arguments: arguments)
                state.listeners.removeAll { $0.isCancelled }
                for listener in state.listeners { listener.offer([step]) }
                return step
            }
            if let step { recorder.record(.navigation(step)) }
        }
    }
}
