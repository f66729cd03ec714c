// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum MachineMoment {
    /// 0 to 23; nil if unknown. `seconds` are since 1970; nil for now.
    package static func localHour(at seconds: Int? = nil) -> Int? {
        var (seconds, local) = (seconds ?? time(nil), tm())
        return localtime_r(&seconds, &local) == nil ? nil : Int(local.tm_hour)
    }

    /// Of the last minute, getloadavg(3), for each online processor; nil if unknown.
    package static func loadPerProcessor() -> Double? {
        var average = 0.0
        guard getloadavg(&average, 1) == 1 else { return nil }
        return average / Double(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
    }
}
