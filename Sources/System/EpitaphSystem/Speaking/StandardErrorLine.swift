// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Lines to standard error from a library. None is worth a daemon that blocks on a full pipe, dies
/// of SIGPIPE, or finds our text in a file that got descriptor 2.
package struct StandardErrorLine: Sendable {
    /// The file that was standard error; nil if there was none.
    private let identity: FileIdentity?
    private static let mostBytes = 2048

    package init() {
        identity = Self.present().map { FileStatus($0).identity }
    }

    /// Writes a line, cut to 2 KiB, if that cannot block and descriptor 2 is the same file.
    @discardableResult
    package func write(_ text: String) -> Bool {
        guard let identity, let status = Self.present(),
            FileStatus(status).identity == identity, Self.hasRoom
        else { return false }
        let plain = text.utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }
        let line = Array(plain.prefix(Self.mostBytes - 1)) + [0x0a]
        if status.st_mode & S_IFMT == S_IFSOCK {
            // systemd's journal.
            return send(2, line, line.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                == line.count
        }
        return Self.withoutBrokenPipe { Glibc.write(2, line, line.count) == line.count }
    }

    private static func present() -> stat? {
        var status = stat()
        return fstat(2, &status) == 0 ? status : nil
    }

    /// A pipe that poll(2) reports ready takes PIPE_BUF bytes, more than a line; pipe(7).
    private static var hasRoom: Bool {
        var entry = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLOUT) != 0
    }

    private static func withoutBrokenPipe(_ body: () -> Bool) -> Bool {
        var pipe = sigset_t()
        var earlier = sigset_t()
        var pending = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        pthread_sigmask(SIG_BLOCK, &pipe, &earlier)
        let isDone = body()
        if !isDone, !wasPending {
            var now = timespec()
            sigtimedwait(&pipe, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &earlier, nil)
        return isDone
    }
}
