// SPDX-License-Identifier: Apache-2.0

import Glibc

/// SIGTERM, SIGINT and SIGHUP, which ask a program to end.
package enum TerminationSignals {
    /// Makes these signals stop `stopSignal`. A second signal, or the end of `graceSeconds` after
    /// the first, kills the process as the signal would have. Signals ignored at the start, as by
    /// nohup(1), stay ignored. Call before starting threads: the signals are blocked in this and
    /// later threads, and a thread of ours waits for them.
    ///
    /// - Parameters:
    ///   - then: called after stopping, on the signal thread.
    ///   - hangup: called on the signal thread for each SIGHUP instead, even if it was ignored.
    package static func stop(
        _ stopSignal: StopSignal, graceSeconds: Int, then: (@Sendable () -> Void)? = nil,
        hangup: (@Sendable () -> Void)? = nil
    ) throws(SystemError) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP]
        where !isIgnored(signal) || signal == SIGHUP && hangup != nil {
            sigaddset(&signals, signal)
        }
        // The kernel drops ignored signals, even if blocked.
        if hangup != nil, isIgnored(SIGHUP) { signal(SIGHUP, SIG_DFL) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let awaited = signals
        try BackgroundThread.start("signals") {
            var awaited = awaited
            var first: Int32 = 0
            while true {
                while sigwait(&awaited, &first) != 0 {}
                guard first == SIGHUP, let hangup else { break }
                hangup()
            }
            stopSignal.stop()
            then?()
            if hangup != nil { sigdelset(&awaited, SIGHUP) }
            var grace = timespec(tv_sec: max(graceSeconds, 0), tv_nsec: 0)
            _ = sigtimedwait(&awaited, nil, &grace)
            end(by: first)
        }
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        // Swift cannot compare function pointers; SIG_IGN is 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) == 1
    }

    /// Dies of the signal, signal(7), so that the parent sees it in wait(2).
    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}
