// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@testable import EpitaphSystem

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

    @Test("A forked child that gives the word wakes no thread of its parent")
    func forkedChild() throws {
        let signal = try StopSignal()
        let child = try ForkedChild.run {
            signal.stop()
            return signal.isStopped ? 7 : 1
        }
        #expect(Subprocess.wait(for: child, deadlineSeconds: 20) == .exited(7))
        // A byte in the pipe, which both have, would keep every wait of the parent busy.
        var entry = pollfd(fd: signal.reader.rawValue, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 0) == 0)
        #expect(!signal.isStopped)
        signal.stop()
        #expect(signal.wait(seconds: 86_400))
    }
}
