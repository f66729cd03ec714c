// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphService
import EpitaphSystem

/// The work for one database: a thread that converts and one that sends, so that a server that
/// stalls keeps no dump waiting, and no database keeps another waiting.
final class DatabaseWorker: Sendable {
    let plan: DatabasePlan
    private let log: any ServiceEventSink
    private let figures: ServiceFigures
    private let stop: StopSignal
    private let collecting = WorkPulse()
    private let sending = WorkPulse()

    init(
        _ plan: DatabasePlan, _ log: any ServiceEventSink, _ figures: ServiceFigures
    ) throws(SystemError) {
        self.plan = plan
        self.log = log
        self.figures = figures
        stop = try StopSignal()
    }

    /// Starts the threads.
    func start() throws(SystemError) {
        do throws(SystemError) {
            try BackgroundThread.start("collect") { [self] in
                var collector = Collector(plan, log, figures, stop, collecting)
                collector.run()
                collecting.end()
            }
        } catch {
            collecting.end()
            sending.end()
            throw error
        }
        guard let setup = plan.setup else { return sending.end() }
        do throws(SystemError) {
            try BackgroundThread.start("send") { [self] in
                var sender = Sender(plan, setup, log, figures, stop, sending)
                sender.run()
                sending.end()
            }
        } catch {
            sending.end()
            stop.stop()
            throw error
        }
    }

    /// Does everything once on the calling thread.
    func runOnce(stoppedBy other: StopSignal) {
        var collector = Collector(plan, log, figures, other, collecting)
        while collector.pass() == 0, !other.isStopped {}
        guard let setup = plan.setup, !other.isStopped else { return }
        var sender = Sender(plan, setup, log, figures, other, sending)
        sender.pass()
    }

    /// Asks the threads to end; they do between two reports, or in the middle of a request.
    func end() { stop.stop() }

    var hasEnded: Bool { collecting.hasEnded && sending.hasEnded }

    /// The longest time that one of the threads has worked without progress.
    var silentSeconds: Double { max(collecting.silentSeconds, sending.silentSeconds) }
}
