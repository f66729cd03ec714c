// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Turns log lines into breadcrumbs and events.
    package final class LogRouter: Sendable {
        private let filters: ForkSafeMutex<Filters>
        private let recorder: any EventRecorder
        private let addBreadcrumb: @Sendable (LogLine) -> Void
        private let clock: any StoppableClock
        private let budget: ForkSafeMutex<EventBudget>
        private let leftOut = Atomic<UInt64>(0)

        private struct Filters {
            var first: LogFilter
            var named: [String: LogFilter] = [:]
        }

        /// Limit on a message and on a tag in an event, in bytes; the rest is cut.
        package static let messageLimitBytes = 4_096

        /// - Parameters:
        ///   - eventsPerSecond: how many lines may become events in one second.
        ///   - addBreadcrumb: receives the breadcrumbs, on the thread that logs.
        package init(
            _ filter: LogFilter = .standard, recorder: any EventRecorder, eventsPerSecond: Int = 50,
            clock: any StoppableClock, addBreadcrumb: @escaping @Sendable (LogLine) -> Void
        ) {
            filters = ForkSafeMutex(Filters(first: filter))
            self.recorder = recorder
            self.clock = clock
            self.addBreadcrumb = addBreadcrumb
            budget = ForkSafeMutex(EventBudget(perSecond: eventsPerSecond))
        }

        /// Lines that became no event because of the limit per second.
        package var leftOutCount: UInt64 { leftOut.load(ordering: .relaxed) }

        package func use(_ filter: LogFilter) {
            filters.withLock { $0.first = filter }
        }

        package func use(_ filter: LogFilter?, named name: String) {
            filters.withLock { $0.named[name] = filter }
        }

        package var filterNames: [String] { filters.withLock { $0.named.keys.sorted() } }

        /// Processes a line, on any thread. Returns what happened to it.
        @discardableResult
        package func log(_ line: LogLine) -> LogRule.Action {
            let filters: [LogFilter] = filters.withLock { [$0.first] + $0.named.values }
            let action = filters.reduce(LogRule.Action.drop) { wanted, filter in
                wanted.joined(with: filter.action(for: line))
            }
            guard action != .drop else { return action }
            let line = filters.reduce(line) { $1.masked($0) }
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
}
