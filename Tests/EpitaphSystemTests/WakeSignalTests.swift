// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Foundation
import Synchronization
import Testing

@Suite struct WakeSignalTests {
    @Test("A signal that was given before the wait ends it, once")
    func before() {
        let wake = WakeSignal()
        wake.give()
        wake.give()
        let start = ContinuousClock().now
        wake.wait(seconds: 3_600)
        #expect(ContinuousClock().now - start < .seconds(1_800))
        // Taken: this one lasts as long as it is to.
        let second = ContinuousClock().now
        wake.wait(seconds: 0.02)
        #expect(ContinuousClock().now - second >= .milliseconds(20))
    }

    @Test("No signal of another thread is lost, however many there are")
    func race() {
        let wake = WakeSignal()
        let work = Mutex(0)
        let rounds = 20_000
        DispatchQueue.global().async {
            for _ in 0..<rounds {
                work.withLock { $0 += 1 }
                wake.give()
            }
        }
        var done = 0
        let start = ContinuousClock().now
        while done < rounds, ContinuousClock().now - start < .seconds(300) {
            // A signal that was lost would make one of these waits its whole length.
            if work.withLock({ $0 }) == done { wake.wait(seconds: 600) }
            done = work.withLock { $0 }
        }
        #expect(done == rounds)
    }

    @Test("A time that is no time is none", arguments: [-1, 0, .nan])
    func noTime(seconds: Double) {
        WakeSignal().wait(seconds: seconds)
    }
}
