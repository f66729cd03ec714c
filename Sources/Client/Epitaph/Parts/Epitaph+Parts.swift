// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphEvents
import EpitaphValues
import Synchronization

// The parts of `Configuration.parts`. Each is nil if it is off, or it or Epitaph does not run.
extension Epitaph {
    private static var parts: RunningParts? { phase.launch?.parts }

    /// Events; docs/events.md.
    public static var events: EventLog? { parts?.events }

    /// The session, user, version and tags that every event carries. Can be changed at any time.
    public static var context: CurrentContext? { parts?.context }

    /// Sessions; docs/sessions.md.
    public static var sessions: SessionTracker? { parts?.sessions }

    /// Counters and durations; docs/monitoring.md.
    public static var metrics: MetricsRegistry? { parts?.metrics }

    /// Reports the program's requests as events; docs/monitoring.md. Nil without events.
    public static var requests: RequestMonitor? { parts?.requests }

    /// Where the program is, in phases and routes; docs/monitoring.md. Nil without events.
    public static var navigation: NavigationTracker? { parts?.navigation }

    /// The program calls it when one of its own signal handlers received a signal, and when it has
    /// read its configuration again; docs/system-events.md.
    public static var systemEvents: SystemEventWatch? { parts?.watches.system }

    /// Records an event of the program's own.
    ///
    /// - Returns: false if it was dropped, or if there are no events.
    @discardableResult
    public static func record(_ name: String, properties: [String: Epitaph.Value] = [:]) -> Bool {
        record(.custom(CustomDetails(name: name, properties: properties)))
    }

    /// Records a change that `KeyValueInspector` or `DirectoryStoreWatch` reports:
    ///
    ///     let watch = try Epitaph.DirectoryStoreWatch(settings) { Epitaph.record($0) }
    ///
    /// - Returns: false if it was dropped, or if there are no events.
    @discardableResult
    public static func record(_ change: StorageChange) -> Bool {
        let kind: StorageChangeDetails.Change =
            switch change.kind {
            case .added: .added
            case .changed: .changed
            case .removed: .removed
            }
        return record(
            .storageChanged(
                StorageChangeDetails(
                    kind: .keyValue, store: change.store, item: change.key, change: kind)))
    }

    private static func record(_ payload: EventPayload) -> Bool {
        if let events { return events.record(payload) }
        unrecorded.add(1, ordering: .relaxed)
        return false
    }

    /// How many events `record` has dropped because there was no log: Epitaph was not started, was
    /// stopped, is disabled, or has no events. `events?.status` counts the others.
    public static var unrecordedEventCount: UInt64 { unrecorded.load(ordering: .relaxed) }

    private static let unrecorded = Atomic<UInt64>(0)

    /// Processes a line of the program's log, from any logger. `Configuration.parts.logFilter`
    /// decides whether it becomes a breadcrumb, an event, both or nothing.
    public static func log(_ line: LogLine) {
        parts?.logs?.log(line)
    }

    /// Adds a filter beside `Configuration.parts.logFilter`, or replaces the one of this name; nil
    /// removes it. A line becomes what all filters together want, with all their secrets masked.
    public static func setLogFilter(_ filter: LogFilter?, named name: String) {
        parts?.logs?.use(filter, named: name)
    }

    /// Names of the filters that were added, in alphabetical order.
    public static var logFilterNames: [String] { parts?.logs?.filterNames ?? [] }
}
