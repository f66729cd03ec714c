// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    package enum LaunchEnding: String, Sendable, Codable, CaseIterable {
        /// Normally: it exited, stopped Epitaph, or replaced itself by execve(2).
        case completed
        case crashed
        /// Without a crash and without marking a clean end: killed, _exit(2), or machine stop.
        case interrupted
        /// The evidence does not say.
        case unknown
    }
}

package protocol LaunchEndings: Sendable {
    /// Returns nil while the end is not recorded; asking again later may give an answer.
    func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding?
}
