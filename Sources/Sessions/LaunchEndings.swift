// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// How a launch of the program ended, as far as sessions are concerned.
public enum LaunchEnding: String, Sendable, Codable, CaseIterable {
    /// It ended as it meant to.
    case completed
    /// It crashed.
    case crashed
    /// It ended without a crash and without a word that it meant to: it was killed, called _exit(2),
    /// or the machine stopped.
    case interrupted
    /// It cannot be told.
    case unknown
}

/// Says how launches ended: `RecordedEndings`, from the history that a database keeps of them.
public protocol LaunchEndings: Sendable {
    /// - Parameters:
    ///   - process: the launch.
    ///   - bundleID: the program.
    /// - Returns: nil while nobody has looked yet.
    func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding?
}
