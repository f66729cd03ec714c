// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite struct WakeSignalTests {
    @Test("A signal that comes before the wait ends it, once, however often it was given")
    func before() throws {
        let signal = try WakeSignal()
        for _ in 0..<100_000 { signal.wake() }
        #expect(signal.wait(seconds: 60))
        #expect(!signal.wait(seconds: 0))
        signal.wake()
        #expect(signal.wait(seconds: 60))
    }

    @Test("A thread that waits is woken by another, each time")
    func waiting() throws {
        let signal = try WakeSignal()
        let rounds = Atomic(0)
        let work = BackgroundThread.Work("test-wake") {
            while rounds.load(ordering: .acquiring) < 100 {
                if signal.wait(seconds: 60) { rounds.add(1, ordering: .acquiringAndReleasing) }
            }
            return true
        }
        #expect(
            eventually {
                signal.wake()
                return rounds.load(ordering: .acquiring) >= 100
            })
        #expect(work.wait())
    }

    @Test("Without a signal a wait ends by itself")
    func timeout() throws {
        let signal = try WakeSignal()
        #expect(!signal.wait(seconds: 0.001))
        #expect(!signal.wait(seconds: -1))
        #expect(!signal.wait(seconds: .nan))
    }
}
