// SPDX-License-Identifier: Apache-2.0

import Foundation

/// SIGTERM, by which service managers ask a daemon to end.
enum StopRequest {
    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        return set
    }

    /// For the calling thread and all that are started from now on.
    static func block() {
        var set = signals
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Has a thread of its own wait for it: what happens then is no signal handler and may do
    /// anything.
    static func wait(then stop: @escaping @Sendable () -> Void) {
        Thread {
            var set = signals
            var signal: Int32 = 0
            while sigwait(&set, &signal) != 0 {}
            stop()
        }.start()
    }
}
