// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A second user, for tests of what one user can do to another. Only root can be one:
/// `.enabled(if: OtherUser.canBeHad, OtherUser.comment)`.
package enum OtherUser {
    /// The user and group `daemon`, which every Debian has.
    package static let id: UInt32 = 1
    package static var canBeHad: Bool { geteuid() == 0 }
    package static let comment = "only root can be another user as well"

    /// Makes a file or directory that user's, and all that is in it, without following links.
    package static func own(_ path: String) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard lchown(path + "/" + name, id, id) == 0 else { throw LaunchError.last("lchown") }
        }
        guard lchown(path, id, id) == 0 else { throw LaunchError.last("lchown") }
    }

    /// The command line that runs `arguments` as that user, with no group of root's.
    package static func command(_ arguments: [String]) -> [String] {
        [
            "setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups", "env",
            "PATH=/usr/bin:/bin",
        ] + arguments
    }

    /// Everything below a directory that is not that user's.
    package static func foreign(below path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            var status = stat()
            return lstat(path + "/" + name, &status) != 0 || status.st_uid != id
        }.sorted()
    }
}

/// A python script that runs as that user until it is ended, for races.
package final class Attacker {
    private let processID: Int32

    /// - Parameter script: run again and again, with `os` and its arguments in `argv`.
    package init(_ script: String, _ arguments: String...) throws {
        let body = script.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
        let whole = """
            import os, signal, sys
            signal.alarm(120)
            argv = sys.argv[1:]
            while True:
            \(body)
            """
        processID = try Subprocess.spawn(
            OtherUser.command(["python3", "-c", whole] + arguments))
    }

    /// Puts a link to `target` in the place of `path` and takes it away again, over and over.
    package static func swapping(_ path: String, forLinkTo target: String) throws -> Attacker {
        try Attacker(
            """
            os.rename(argv[0], argv[0] + ".real")
            os.symlink(argv[1], argv[0])
            os.unlink(argv[0])
            os.rename(argv[0] + ".real", argv[0])
            """, path, target)
    }

    deinit {
        kill(processID, SIGKILL)
        _ = Subprocess.wait(for: processID, deadlineSeconds: 20)
    }

    package var isRunning: Bool { kill(processID, 0) == 0 }
}

extension LaunchError {
    static func last(_ call: String) -> LaunchError {
        LaunchError(program: call, errorNumber: errno)
    }
}
