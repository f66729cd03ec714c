// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// How a launch of the program ended, as far as sessions are concerned.
public enum LaunchEnding: String, Sendable, Codable, CaseIterable {
    /// It ended as it meant to.
    case completed
    /// It crashed.
    case crashed
    /// It was killed, or the machine stopped.
    case interrupted
    /// It cannot be told.
    case unknown
}

/// Says how launches ended. Whoever keeps a history of launches conforms to it.
public protocol LaunchEndings: Sendable {
    /// - Parameters:
    ///   - process: the launch.
    ///   - bundleID: the program.
    /// - Returns: nil while nobody has looked yet.
    func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding?
}
