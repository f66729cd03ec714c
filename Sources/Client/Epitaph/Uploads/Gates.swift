// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload
import EpitaphValues
import Glibc

extension Epitaph {
    /// Ready answers for `UploadOptions.gate`, which may also be a closure of your own.
    public enum Gates {
        /// Open in some hours of each day, by the machine's local time.
        ///
        /// - Parameters:
        ///   - start: 0 to 23.
        ///   - end: the first hour that is closed again; before `start` for a window over midnight,
        ///     equal to it for a gate that is always open.
        public static func hours(from start: Int, to end: Int) -> UploadGate {
            { _ in hours(from: start, to: end, at: time(nil)) }
        }

        package static func hours(from start: Int, to end: Int, at seconds: time_t) -> GateAnswer {
            var (seconds, local) = (seconds, tm())
            guard localtime_r(&seconds, &local) != nil else { return .open }
            let hour = Int(local.tm_hour)
            let isOpen =
                start <= end
                ? start == end || (start..<end).contains(hour) : hour >= start || hour < end
            return isOpen ? .open : .closed(reason: "only from \(start) to \(end) o'clock")
        }

        /// Open while the machine is not busy.
        ///
        /// - Parameter limit: of the load average of the last minute, getloadavg(3), for each
        ///   processor that is online. A machine that does not say it is not busy.
        public static func load(below limit: Double) -> UploadGate {
            { _ in
                var average = 0.0
                guard getloadavg(&average, 1) == 1 else { return .open }
                let load = average / Double(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
                return load < limit ? .open : .closed(reason: "the machine is busy")
            }
        }
    }
}
