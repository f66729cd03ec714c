// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

final class SendingThread: Sendable {
    let wake: WakeSignal
    let stopSignal: StopSignal
    private let end: StopSignal
    private let isStarted = Atomic(false)

    private static let lookSeconds = 60.0

    init() throws(SystemError) {
        wake = WakeSignal()
        stopSignal = try StopSignal()
        end = try StopSignal()
    }

    func start(_ make: @escaping @Sendable () -> EventSender) throws(SystemError) {
        guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let (wake, stopSignal, end) = (wake, stopSignal, end)
        do {
            try BackgroundThread.start("epitaph-ev-send") {
                var sender = make()
                while !stopSignal.isStopped {
                    let seconds = sender.step() ?? Self.lookSeconds
                    guard !stopSignal.isStopped else { break }
                    wake.wait(seconds: min(seconds, Self.lookSeconds))
                }
                end.stop()
            }
        } catch {
            isStarted.store(false, ordering: .releasing)
            throw error
        }
    }

    func stop() {
        stopSignal.stop()
        wake.give()
    }

    func waitForEnd(_ seconds: Double) -> Bool {
        isStarted.load(ordering: .acquiring) ? end.wait(seconds: seconds) : true
    }
}
