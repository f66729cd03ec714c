// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

/// Asks again and again until `condition` holds or the deadline has passed.
///
/// - Returns: whether it came to hold.
package func eventually(withinSeconds seconds: Double = 20, _ condition: () throws -> Bool) rethrows
    -> Bool
{
    let deadline = Timestamp.now.adding(seconds: seconds * patience)
    while try !condition() {
        guard Timestamp.now < deadline else { return false }
        usleep(1_000)
    }
    return true
}

/// Whether the process's first thread waits in a system call (proc_pid_stat(5), state S).
///
/// A program that says that it is about to sleep is not asleep yet when its words are read.
package func isAsleep(_ process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return status?.contains(") S ") == true
}
