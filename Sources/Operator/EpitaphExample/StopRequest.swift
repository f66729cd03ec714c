// SPDX-License-Identifier: Apache-2.0

import Foundation

/// SIGTERM, with which service managers stop a daemon.
enum StopRequest {
    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        return set
    }

    /// For the calling thread and all threads it starts from now on.
    static func block() {
        var set = signals
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits on its own thread: `stop` does not run in a signal handler and may do anything.
    static func wait(then stop: @escaping @Sendable () -> Void) {
        Thread {
            var set = signals
            var signal: Int32 = 0
            while sigwait(&set, &signal) != 0 {}
            stop()
        }.start()
    }
}
