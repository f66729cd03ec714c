// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Answers for `UploadOptions.gate` and `LogUploadOptions.gate`, beside closures of your own.
    public enum Gates {
        /// Open in some hours of each day, by the machine's local time.
        ///
        /// - Parameters:
        ///   - start: 0 to 23.
        ///   - end: the first hour that is closed again; before `start` for a window over midnight,
        ///     equal to it for a gate that is always open.
        public static func hours<Subject>(
            from start: Int, to end: Int
        ) -> @Sendable (Subject) -> GateAnswer {
            { _ in hours(from: start, to: end, at: nil) }
        }

        package static func hours(from start: Int, to end: Int, at seconds: Int?) -> GateAnswer {
            guard let hour = MachineMoment.localHour(at: seconds) else { return .open }
            let isOpen =
                start <= end
                ? start == end || (start..<end).contains(hour) : hour >= start || hour < end
            return isOpen ? .open : .closed(reason: "only from \(start) to \(end) o'clock")
        }

        /// Open while the machine is not busy.
        ///
        /// - Parameter limit: of the load average of the last minute, getloadavg(3), for each
        ///   processor that is online. A machine that does not say it is not busy.
        public static func load<Subject>(
            below limit: Double
        ) -> @Sendable (Subject) -> GateAnswer {
            { _ in
                let load = MachineMoment.loadPerProcessor() ?? -.infinity
                return load < limit ? .open : .closed(reason: "the machine is busy")
            }
        }

        /// Closed while the machine's way out is one of these network interfaces: `ppp*`, `wwan0`.
        /// The kernel does not know which of them are metered, so whoever runs the machine says it.
        ///
        /// - Parameter interfaces: patterns of names. The way out is the default route with the
        ///   smallest metric, of IPv4 and of IPv6; a machine without one is open.
        public static func metered<Subject>(
            _ interfaces: String...
        ) -> @Sendable (Subject) -> GateAnswer {
            { _ in metered(interfaces, by: RouteTable()) }
        }

        package static func metered(_ interfaces: [String], by table: RouteTable) -> GateAnswer {
            let way = table.waysOut().first { name in
                interfaces.contains { GlobPattern($0).matches(name) }
            }
            return way.map { .closed(reason: "\($0) is a metered link") } ?? .open
        }
    }
}
