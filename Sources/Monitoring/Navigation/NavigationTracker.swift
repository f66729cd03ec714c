// SPDX-License-Identifier: Apache-2.0

import Events
import LinuxSystem
import Synchronization

/// Is told when a daemon enters another phase or route.
public protocol NavigationListener: AnyObject, Sendable {
    /// The program is somewhere else now. Called on a thread of this listener's own, one step after
    /// the other; it may take its time, throw, and navigate itself.
    func didNavigate(_ step: NavigationDetails) throws
}

/// Knows where a daemon is: in which phase of its life, and in which route of its work. What an app
/// calls a screen.
public final class NavigationTracker: Sendable {
    private struct Place {
        var name: String
        var since: Double
    }

    private struct State {
        var places: [NavigationDetails.Kind: Place] = [:]
        var listeners: [Observation<NavigationDetails>] = []
    }

    private let recorder: any EventRecorder
    private let clock: any StoppableClock
    private let state = Mutex(State())

    /// Bytes of a name; a longer one is cut.
    public static let nameLimitBytes = 256
    /// Steps that may wait for a listener.
    private static let listenerLimit = 1_000

    /// - Parameters:
    ///   - recorder: takes the events.
    ///   - clock: measures how long the program was in one place.
    public init(recorder: any EventRecorder, clock: any StoppableClock) {
        self.recorder = recorder
        self.clock = clock
    }

    /// The phase it is in; nil before the first.
    public var phase: String? { state.withLock { $0.places[.phase]?.name } }
    /// The route it is in; nil before the first.
    public var route: String? { state.withLock { $0.places[.route]?.name } }

    /// Enters a phase: `loading`, `serving`, `draining`. Entering the one it is in does nothing.
    public func enter(phase: String) { enter(.phase, phase) }

    /// Enters a route: `GET /ledger/{id}`, with the name of a place and not the id itself. Entering
    /// the one it is in does nothing.
    public func enter(route: String) { enter(.route, route) }

    /// Has a listener told of every step from now on. It is kept until the observation is cancelled.
    @discardableResult
    public func addListener(
        _ listener: any NavigationListener
    ) -> Observation<NavigationDetails> {
        addListener { try listener.didNavigate($0) }
    }

    /// As above, with a closure.
    @discardableResult
    public func addListener(
        _ body: @escaping @Sendable (NavigationDetails) throws -> Void
    ) -> Observation<NavigationDetails> {
        let observation = Observation(name: "epitaph-navig", limit: Self.listenerLimit, body)
        state.withLock { $0.listeners.append(observation) }
        return observation
    }

    private func enter(_ kind: NavigationDetails.Kind, _ name: String) {
        let name = name.cut(toBytes: Self.nameLimitBytes)
        let time = clock.monotonicSeconds()
        // Under one lock, so that listeners see the steps in the order they were made.
        let step: NavigationDetails? = state.withLock { state in
            let origin = state.places[kind]
            guard origin?.name != name else { return nil }
            state.places[kind] = Place(name: name, since: time)
            let step = NavigationDetails(
                kind: kind, destination: name, origin: origin?.name,
                secondsAtOrigin: origin.map { max(time - $0.since, 0) })
            state.listeners.removeAll { $0.isCancelled }
            for listener in state.listeners { listener.offer([step]) }
            return step
        }
        if let step { recorder.record(.navigation(step)) }
    }
}
