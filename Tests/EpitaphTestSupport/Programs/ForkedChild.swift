// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A child of fork(2), which Swift does not let through: in a child of a program with threads other
/// threads may have held any lock.
package enum ForkedChild {
    /// Runs `body` in a child, which exits with what it returns.
    ///
    /// - Returns: the child's process id, for `Subprocess.wait`.
    package static func run(_ body: () -> Int32) throws -> Int32 {
        typealias Function = @convention(c) () -> pid_t
        guard let address = dlsym(nil, "fork") else { throw LaunchError.last("fork") }
        let processID = unsafeBitCast(address, to: Function.self)()
        if processID == 0 { _exit(body()) }
        guard processID > 0 else { throw LaunchError.last("fork") }
        return processID
    }
}
