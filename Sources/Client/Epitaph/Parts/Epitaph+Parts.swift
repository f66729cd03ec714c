// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphEvents

// The parts that `Configuration.parts` turns on. Each is nil if it was not turned on, cannot be
// started, or Epitaph does not run.
extension Epitaph {
    private var parts: RunningParts? { phase.launch?.parts }

    /// Events; docs/events.md.
    public var events: EventLog? { parts?.events }

    /// The session, user, version and tags that every event carries. Can be changed at any time.
    public var context: CurrentContext? { parts?.context }

    /// Sessions; docs/sessions.md.
    public var sessions: SessionTracker? { parts?.sessions }

    /// Counters and durations; docs/monitoring.md.
    public var metrics: MetricsRegistry? { parts?.metrics }

    /// Reports the program's requests as events; docs/monitoring.md. Nil without events.
    public var requests: RequestMonitor? { parts?.requests }

    /// Where the program is, in phases and routes; docs/monitoring.md. Nil without events.
    public var navigation: NavigationTracker? { parts?.navigation }

    /// The program uses it to note signals that its own handlers received, and that it has read its
    /// configuration again; docs/system-events.md.
    public var systemEvents: SystemEventWatch? { parts?.watches.system }

    /// Records an event of the program's own.
    ///
    /// - Returns: false if it was dropped, or if there are no events.
    @discardableResult
    public func record(_ name: String, properties: [String: EventValue] = [:]) -> Bool {
        events?.record(.custom(CustomDetails(name: name, properties: properties))) ?? false
    }

    /// Processes a line of the program's log, from any logger. `Configuration.parts.logFilter`
    /// decides whether it becomes a breadcrumb, an event, both or nothing.
    public func log(_ line: LogLine) {
        parts?.logs?.log(line)
    }
}

// Attributes; docs/attributes.md.
extension Epitaph {
    /// Sets an attribute of every report of this process, like `CrashReporter.setAttribute`.
    ///
    /// - Returns: false if it was not set, because Epitaph does not run, the name is empty or
    ///   longer than 255 bytes, or all 128 names are in use.
    @discardableResult
    public func setAttribute(_ name: String, to value: AttributeValue) -> Bool {
        guard let launch = phase.launch else { return false }
        return (try? launch.reporter.setAttribute(name, to: value)) != nil
    }

    /// As `setAttribute(_:to:)` with an `AttributeValue`, for values of any type that has one.
    @discardableResult
    public func setAttribute(_ name: String, to value: some AttributeConvertible) -> Bool {
        setAttribute(name, to: value.attributeValue)
    }

    /// Removes an attribute; does nothing if there is none of this name.
    public func removeAttribute(_ name: String) {
        try? phase.launch?.reporter.removeAttribute(name)
    }

    /// Runs code in a scope of its own, like `CrashReporter.withScope`. If Epitaph does not run,
    /// the code runs without a scope.
    public func withScope<Result>(
        _ attributes: [String: AttributeValue], _ operation: () throws -> Result
    ) rethrows -> Result {
        guard let reporter else { return try operation() }
        return try reporter.withScope(attributes, operation)
    }

    /// The same for asynchronous code.
    public func withScope<Result>(
        _ attributes: [String: AttributeValue], isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        guard let reporter else { return try await operation() }
        return try await reporter.withScope(
            attributes, isolation: isolation, operation)
    }
}
