// SPDX-License-Identifier: Apache-2.0

import Glibc

/// SIGTERM, SIGINT and SIGHUP of a program that is our own as a whole, as a word to its threads.
public enum TerminationRequest {
    /// From here on the first of these signals ends nothing by itself: it gives `stop`. The second
    /// ends the process at once, with 128 and its number as the status, as shells have it.
    ///
    /// One that was ignored when the program was started, as nohup(1) does, stays ignored. To be
    /// called while the calling thread is the only one: threads take over its mask.
    public static func forward(to stop: StopSignal) throws(SystemError) {
        var awaited = sigset_t()
        sigemptyset(&awaited)
        for signal in [SIGTERM, SIGINT, SIGHUP] where !isIgnored(signal) {
            sigaddset(&awaited, signal)
        }
        pthread_sigmask(SIG_BLOCK, &awaited, nil)
        let signals = awaited
        try BackgroundThread.start("stop-requests") {
            _ = next(of: signals)
            stop.stop()
            _exit(128 + next(of: signals))
        }
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        // SIG_IGN is 1; Swift cannot compare function pointers.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) == 1
    }

    /// sigwait(3) fails for a set that makes no sense, and never with EINTR.
    private static func next(of signals: sigset_t) -> Int32 {
        var signals = signals
        var signal: Int32 = 0
        while sigwait(&signals, &signal) != 0 { pause() }
        return signal
    }
}
