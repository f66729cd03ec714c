// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another process that holds a lock on a file until it is ended.
package final class LockHolder {
    package enum Kind: String {
        /// fcntl(2) F_SETLK on the whole file
        case record = "fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)"
        /// flock(2)
        case wholeFile = "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)"
        /// None: the process only runs.
        case none = "pass"
    }

    package let processID: Int32
    private var isRunning = true

    /// Returns once the lock is held.
    package init(_ kind: Kind, on path: String) throws {
        let directory = try TemporaryDirectory()
        let ready = directory.path("ready")
        let script = """
            import fcntl, os, signal, sys
            file = open(sys.argv[1], "r+b")
            \(kind.rawValue)
            os.close(os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY))
            signal.alarm(120)
            signal.pause()
            """
        processID = try Subprocess.spawn(["python3", "-c", script, path, ready])
        guard eventually({ FileManager.default.fileExists(atPath: ready) }) else {
            end()
            throw LaunchError(program: "python3", errorNumber: ETIMEDOUT)
        }
    }

    deinit {
        end()
    }

    /// Kills the process and waits for its end.
    package func end() {
        guard isRunning else { return }
        isRunning = false
        kill(processID, SIGKILL)
        _ = Subprocess.wait(for: processID, deadlineSeconds: 20)
    }

    /// Kills the process and leaves it a zombie until `end` is called.
    package func killWithoutWaiting() {
        kill(processID, SIGKILL)
        var information = siginfo_t()
        // WNOWAIT: waits for the death and leaves the zombie.
        waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT)
    }
}
