// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc

/// The handler as a process: the kernel starts it as root, with nothing but standard input.
package enum CoreHandlerProcess {
    /// Standard input under another number, close-on-exec, with /dev/null in its place, so that no
    /// file opened later gets its number; nil if it is not a pipe or a file.
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

    /// Keeps this process small, and ends it when its time is over: the process that crashed cannot
    /// end, and cannot be started again, before its pipe is read or closed.
    package static func restrict(timeLimitSeconds: Int, log: HandlerLog) {
        // The kernel gives the handler this limit, by which it recognises and leaves out a core of
        // its own; so is one that is started by hand: do_coredump, fs/coredump.c.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(4), &limit)
        _ = nice(9)
        if let file = try? FileDescriptor.open("/proc/self/oom_score_adj", flags: O_WRONLY, mode: 0)
        {
            _ = pwrite(file.rawValue, "500", 3, 0)
        }
        // Should no thread be had, SIGALRM ends the process without a word.
        alarm(UInt32(timeLimitSeconds + 2))
        try? BackgroundThread.start("time limit") {
            let end = ContinuousClock.now + .seconds(timeLimitSeconds)
            while ContinuousClock.now < end { usleep(100_000) }
            log.write("a core was not handled within \(timeLimitSeconds) s; it is given up")
            _exit(1)
        }
    }
}

/// Where the handler says what happened: standard error if there is one, otherwise the kernel's log.
///
/// The kernel gives its handler no standard error. Its own log is always there, never waits, is where
/// the kernel's own words on cores are, and what journald and syslog read.
package struct HandlerLog: Sendable {
    private let kernelLog: FileDescriptor?

    private static let mostBytes = 900

    /// To be made before other files are opened.
    package init() {
        kernelLog =
            Self.hasStandardError
            ? nil : try? FileDescriptor.open("/dev/kmsg", flags: O_WRONLY | O_NONBLOCK, mode: 0)
    }

    private static var hasStandardError: Bool {
        let flags = fcntl(2, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }

    /// Writes one line.
    package func write(_ sentence: String) {
        let plain = sentence.utf8.map { $0 < 0x20 || $0 == 0x7f ? 0x20 : $0 }.prefix(Self.mostBytes)
        guard let kernelLog else {
            StandardErrorLine().write("dump-convert: " + String(decoding: plain, as: UTF8.self))
            return
        }
        // <4>: a warning, of no facility of the kernel's (1 is "user"): syslog(2).
        let line = Array("<12>dump-convert: ".utf8) + plain + [0x0a]
        _ = Glibc.write(kernelLog.rawValue, line, line.count)
    }
}
