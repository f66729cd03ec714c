// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite("A word to stop")
struct StopSignalTests {
    @Test("A wait ends without the word when its time is up, and never when it has none")
    func timeUp() throws {
        let signal = try StopSignal()
        for seconds in [0, -1, 0.01, -.infinity, .nan] {
            #expect(!signal.wait(seconds: seconds))
        }
        #expect(!signal.isStopped)
    }

    @Test("All who wait are woken by it, however long they meant to, and all who come later")
    func wakes() throws {
        let signal = try StopSignal()
        let woken = Mutex(0)
        for _ in 0..<3 {
            try BackgroundThread.start("waiter") {
                if signal.wait(seconds: .infinity) { woken.withLock { $0 += 1 } }
            }
        }
        signal.stop()
        signal.stop()
        #expect(eventually { woken.withLock { $0 } == 3 })
        #expect(signal.isStopped && signal.wait(seconds: 86_400))
    }
}
