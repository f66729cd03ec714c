// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphService
import EpitaphSystem
import Synchronization

/// The work for one database: one thread converts and one sends, so that a stalled server delays no
/// dump and no other database.
final class DatabaseWorker: Sendable {
    let watched: WatchedDatabase
    private let stop: StopSignal
    private let collecting = WorkPulse()
    private let sending = WorkPulse()

    init(_ watched: WatchedDatabase) throws(SystemError) {
        self.watched = watched
        stop = try StopSignal()
    }

    func start() throws(SystemError) {
        do throws(SystemError) {
            try BackgroundThread.start("collect") { [self] in
                var collector = Collector(watched, stop, collecting)
                collector.run()
                collecting.end()
            }
        } catch {
            collecting.end()
            sending.end()
            throw error
        }
        guard let setup = watched.plan.setup else { return sending.end() }
        do throws(SystemError) {
            try BackgroundThread.start("send") { [self] in
                var sender = Sender(watched, setup, stop, sending)
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
        var collector = Collector(watched, other, collecting)
        while collector.pass() == 0, !other.isStopped {}
        guard let setup = watched.plan.setup, !other.isStopped else { return }
        var sender = Sender(watched, setup, other, sending)
        sender.pass()
    }

    /// Asks the threads to end; they do so between two reports or during a request.
    func end() { stop.stop() }

    var hasEnded: Bool { collecting.hasEnded && sending.hasEnded }

    /// The longest time without progress of the two threads.
    var silentSeconds: Double { max(collecting.silentSeconds, sending.silentSeconds) }
}

/// Shows whether a thread's work makes progress.
final class WorkPulse: Sendable {
    private struct State {
        var isWorking = false
        var lastSign = ContinuousClock.now
        var hasEnded = false
    }

    private let state = Mutex(State())

    func beat() {
        state.withLock { state in
            state.isWorking = true
            state.lastSign = .now
        }
    }

    func rest() { state.withLock { $0.isWorking = false } }

    func end() { state.withLock { $0.hasEnded = true } }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Seconds without progress; 0 while idle.
    var silentSeconds: Double {
        state.withLock { state in
            guard state.isWorking, !state.hasEnded else { return 0 }
            return (ContinuousClock.now - state.lastSign) / .seconds(1)
        }
    }
}
