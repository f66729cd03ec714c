// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import Events
import Metrics
import Monitoring
import Sessions
import SystemEvents

// The parts that `Configuration.parts` asks for; nil where one was not asked for, cannot be had, or
// Epitaph does not run.
extension Epitaph {
    private var parts: RunningParts? { phase.launch?.parts }

    /// Events; docs/events.md.
    public var events: EventLog? { parts?.events }

    /// What every event says of session, user, version and tags. It can be changed at any time.
    public var context: CurrentContext? { parts?.context }

    /// Sessions; docs/sessions.md.
    public var sessions: SessionTracker? { parts?.sessions }

    /// Counters and durations; docs/monitoring.md.
    public var metrics: Metrics? { parts?.metrics }

    /// Requests that the program makes or serves; docs/monitoring.md. Nil without events.
    public var requests: RequestMonitor? { parts?.requests }

    /// Where the program is, by phases and routes; docs/monitoring.md. Nil without events.
    public var navigation: NavigationTracker? { parts?.navigation }

    /// Where the program notes signals that its own handlers got, and that it has read its
    /// configuration again; docs/system-events.md.
    public var systemEvents: SystemEventWatch? { parts?.watches.system }

    /// Records an event of the program's own.
    ///
    /// - Returns: false where it was dropped, or events are not wanted.
    @discardableResult
    public func record(_ name: String, properties: [String: EventValue] = [:]) -> Bool {
        events?.record(.custom(CustomDetails(name: name, properties: properties))) ?? false
    }

    /// Takes a line of the program's log, from behind whatever logger it has. By
    /// `Configuration.parts.logFilter` it becomes a breadcrumb, an event, both or nothing.
    public func log(_ line: LogLine) {
        parts?.logs?.log(line)
    }
}

// Attributes; docs/attributes.md.
extension Epitaph {
    /// Sets an attribute of every report this process may leave, as `CrashReporter.setAttribute`.
    ///
    /// - Returns: false where it was not set, because Epitaph does not run, the name is empty or
    ///   longer than 255 bytes, or all 128 names are in use.
    @discardableResult
    public func setAttribute(_ name: String, to value: AttributeValue) -> Bool {
        guard let launch = phase.launch else { return false }
        return (try? launch.reporter.setAttribute(name, to: value)) != nil
    }

    /// Removes an attribute; one that is not there is as good as removed.
    public func removeAttribute(_ name: String) {
        try? phase.launch?.reporter.removeAttribute(name)
    }

    /// Runs code in a scope of its own, as `CrashReporter.withScope`; where Epitaph does not run,
    /// without one.
    public func withScope<Result>(
        _ attributes: [String: AttributeValue], _ operation: () throws -> Result
    ) rethrows -> Result {
        guard let reporter else { return try operation() }
        return try reporter.withScope(attributes, operation)
    }

    /// The same for code that waits.
    public func withScope<Result>(
        _ attributes: [String: AttributeValue], isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        guard let reporter else { return try await operation() }
        return try await reporter.withScope(
            attributes, isolation: isolation, operation)
    }
}
