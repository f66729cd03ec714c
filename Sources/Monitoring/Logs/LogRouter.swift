// SPDX-License-Identifier: Apache-2.0

import Events
import LinuxSystem
import Synchronization

/// Stands behind a logger and makes breadcrumbs and events of what it logs.
public final class LogRouter: Sendable {
    private let filter: Mutex<LogFilter>
    private let recorder: any EventRecorder
    private let addBreadcrumb: @Sendable (LogLine) -> Void
    private let clock: any StoppableClock
    private let budget: Mutex<EventBudget>
    private let leftOut = Atomic<UInt64>(0)

    /// Bytes of a message and of a tag in an event; longer ones are cut.
    public static let messageLimitBytes = 4_096

    /// - Parameters:
    ///   - filter: what becomes of which line.
    ///   - recorder: takes the events.
    ///   - eventsPerSecond: more lines than these become no events in a second.
    ///   - clock: whose seconds are meant.
    ///   - addBreadcrumb: takes the breadcrumbs, on the thread that logs. What is secret by its
    ///     name is masked in them, as in events.
    public init(
        _ filter: LogFilter = .standard, recorder: any EventRecorder, eventsPerSecond: Int = 50,
        clock: any StoppableClock, addBreadcrumb: @escaping @Sendable (LogLine) -> Void
    ) {
        self.filter = Mutex(filter)
        self.recorder = recorder
        self.clock = clock
        self.addBreadcrumb = addBreadcrumb
        budget = Mutex(EventBudget(perSecond: eventsPerSecond))
    }

    /// Lines that became no event because there were too many in a second.
    public var leftOutCount: UInt64 { leftOut.load(ordering: .relaxed) }

    /// Puts another filter in the place of this one; from the next line on.
    public func use(_ filter: LogFilter) {
        self.filter.withLock { $0 = filter }
    }

    /// Takes a line; from any thread.
    ///
    /// - Returns: what became of it.
    @discardableResult
    public func log(_ line: LogLine) -> LogRule.Action {
        let filter = filter.withLock { $0 }
        let action = filter.action(for: line)
        guard action != .drop else { return action }
        let line = filter.masked(line)
        switch action {
        case .drop: break
        case .breadcrumb: addBreadcrumb(line)
        case .event: record(line)
        case .breadcrumbAndEvent:
            addBreadcrumb(line)
            record(line)
        }
        return action
    }

    private func record(_ line: LogLine) {
        let time = clock.monotonicSeconds()
        guard budget.withLock({ $0.spend(at: time) }) != nil else {
            leftOut.add(1, ordering: .relaxed)
            return
        }
        recorder.record(
            .log(
                LogDetails(
                    level: line.level, tag: line.tag.cut(toBytes: Self.messageLimitBytes),
                    message: line.message.cut(toBytes: Self.messageLimitBytes),
                    metadata: line.metadata)))
    }
}
