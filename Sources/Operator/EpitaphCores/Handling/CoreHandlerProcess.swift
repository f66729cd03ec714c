// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc

/// The handler's process. The kernel starts it as root with only standard input.
package enum CoreHandlerProcess {
    /// Moves standard input to another descriptor, close-on-exec, and opens /dev/null in its place
    /// so that no later file gets number 0. Nil if it is not a pipe, socket or file.
    package static func takeInput() -> FileDescriptor? {
        var status = stat()
        guard fstat(0, &status) == 0,
            [S_IFIFO, S_IFREG, S_IFSOCK].contains(status.st_mode & S_IFMT)
        else { return nil }
        let moved = fcntl(0, F_DUPFD_CLOEXEC, 10)
        guard moved >= 0 else { return nil }
        let nothing = open("/dev/null", O_RDONLY)
        if nothing >= 0 {
            dup2(nothing, 0)
            if nothing != 0 { close(nothing) }
        }
        return FileDescriptor(owning: moved, path: "the core")
    }

    /// Limits this process and ends it at the time limit: until its pipe is read or closed, the
    /// crashed process cannot end or be restarted.
    package static func restrict(timeLimitSeconds: Int, log: HandlerLog) {
        // The kernel starts a handler with RLIMIT_CORE 1 and makes no core of a process with that
        // limit: do_coredump, fs/coredump.c. A handler started by hand needs it, too.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(4), &limit)
        _ = nice(9)
        if let file = try? FileDescriptor.open("/proc/self/oom_score_adj", flags: O_WRONLY, mode: 0)
        {
            _ = pwrite(file.rawValue, "500", 3, 0)
        }
        // If no thread can be started, SIGALRM ends the process without a message.
        alarm(UInt32(timeLimitSeconds + 2))
        try? BackgroundThread.start("time limit") {
            let end = ContinuousClock.now + .seconds(timeLimitSeconds)
            while ContinuousClock.now < end { usleep(100_000) }
            log.write("a core was not handled within \(timeLimitSeconds) s; it is given up")
            _exit(1)
        }
    }
}

/// Logs to standard error, or, as when the kernel starts the handler, to the kernel's log: always
/// there, never blocking, with the kernel's own messages about cores.
package struct HandlerLog: Sendable {
    private let kernelLog: FileDescriptor?

    private static let mostBytes = 900

    /// Must run before other files are opened.
    package init() {
        kernelLog =
            Self.hasStandardError
            ? nil : try? FileDescriptor.open("/dev/kmsg", flags: O_WRONLY | O_NONBLOCK, mode: 0)
    }

    private static var hasStandardError: Bool {
        let flags = fcntl(2, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }

    package func write(_ sentence: String) {
        let plain = sentence.utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }.prefix(Self.mostBytes)
        guard let kernelLog else {
            StandardErrorLine().write("dump-convert: " + String(decoding: plain, as: UTF8.self))
            return
        }
        // <12>: facility user (1), priority warning (4): syslog(2).
        let line = Array("<12>dump-convert: ".utf8) + plain + [0x0a]
        _ = Glibc.write(kernelLog.rawValue, line, line.count)
    }
}
