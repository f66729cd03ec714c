// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

final class SendingThread: Sendable {
    let wake: WakeSignal
    let stopSignal: StopSignal
    private let end: StopSignal
    private let thread = OneThread()

    private static let lookSeconds = 60.0

    init() throws(SystemError) {
        wake = WakeSignal()
        stopSignal = try StopSignal()
        end = try StopSignal()
    }

    func start(_ make: @escaping @Sendable () -> EventSender) throws(SystemError) {
        let (wake, stopSignal, end) = (wake, stopSignal, end)
        try thread.start("epitaph-ev-send") {
            var sender = make()
            while !stopSignal.isStopped {
                let seconds = sender.step() ?? Self.lookSeconds
                guard !stopSignal.isStopped else { break }
                wake.wait(seconds: min(seconds, Self.lookSeconds))
            }
            end.stop()
        }
    }

    func stop() {
        stopSignal.stop()
        wake.give()
    }

    func waitForEnd(_ seconds: Double) -> Bool {
        thread.isStarted ? end.wait(seconds: seconds) : true
    }
}
