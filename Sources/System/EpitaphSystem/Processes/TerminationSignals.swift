// SPDX-License-Identifier: Apache-2.0

import Glibc

/// SIGTERM, SIGINT and SIGHUP, which ask a program to end.
package enum TerminationSignals {
    /// From now on these signals stop `stopSignal`. A second signal, or a program that still runs
    /// after `graceSeconds`, ends the process at once as the signal would have done.
    ///
    /// One that was ignored when the program was started, as nohup(1) does, stays ignored. Call
    /// this before any thread is started: the signals are blocked in this thread and in those it
    /// starts, and a thread of our own waits for them.
    ///
    /// - Parameters:
    ///   - stopSignal: is stopped.
    ///   - graceSeconds: from the first signal on.
    ///   - then: called after that, on the thread of the signals.
    ///   - hangup: what SIGHUP does instead, for a service that reads its settings again; on that
    ///     thread, each time, and even if SIGHUP was ignored.
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
        // The kernel throws away a signal that is ignored, blocked or not.
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

    /// The signal's own effect, signal(7): the parent sees it in wait(2).
    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}
