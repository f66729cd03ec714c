// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// How one launch of the program ended, as far as its sessions are concerned.
    package enum LaunchEnding: String, Sendable, Codable, CaseIterable {
        /// It ended normally: it exited, stopped Epitaph, or replaced itself by execve(2).
        case completed
        /// It crashed.
        case crashed
        /// It ended without a crash and without marking a clean end: it was killed, called
        /// _exit(2), or the machine stopped.
        case interrupted
        /// The evidence does not say how it ended.
        case unknown
    }
}

/// Tells how launches ended. `RecordedEndings` reads it from the launch history of a database.
package protocol LaunchEndings: Sendable {
    /// - Parameters:
    ///   - process: the launch.
    ///   - bundleID: the program.
    /// - Returns: nil while the end is not recorded yet; asking again later may give an answer.
    func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding?
}
