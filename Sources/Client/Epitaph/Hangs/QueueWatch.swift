// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Dispatch
import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Repeatedly gives a queue, an actor or a run loop a small piece of work, and watches whether
    /// it is done.
    ///
    ///     let watch = try QueueWatch(queue)
    ///     let other = try QueueWatch("ledger", enqueue: { work in Task { await ledger.run(work) }
    ///     })
    ///
    /// Only one piece of work waits at a time, so a hanging queue does not fill up. Hangs count
    /// only after the queue has answered for the first time.
    public final class QueueWatch: Sendable {
        private let heartbeat: Heartbeat
        private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
        private let stopSignal: StopSignal
        private let answered = Atomic<UInt64>(0)

        /// Starts to watch a dispatch queue; reports use its label as the name. The report of a
        /// hang names the stuck thread if exactly one of the stopped threads does work of a queue
        /// with that label: docs/hangs.md.
        ///
        /// - Parameters:
        ///   - queue: its label has 1 to 64 bytes; other queues should not have the same.
        ///   - options: the threshold, and how often to ask.
        /// - Throws: `Refusal` for the reasons of `Heartbeat`, or if no thread or file descriptor
        ///   is left.
        public convenience init(
            _ queue: DispatchQueue, options: HangOptions = HangOptions()
        ) throws(Refusal) {
            try self.init(queue.label, options: options) { queue.async(execute: $0) }
        }

        /// Starts to watch.
        ///
        /// - Parameters:
        ///   - name: the name in reports, cut to 64 bytes. For a dispatch queue its label.
        ///   - options: the threshold, and how often to ask.
        ///   - enqueue: hands the given work to the queue and returns at once. Called repeatedly on
        ///     a thread of the watch, never twice at the same time.
        /// - Throws: `Refusal` for the reasons of `Heartbeat`, or if no thread or file descriptor
        ///   is left.
        public init(
            _ name: String, options: HangOptions = HangOptions(),
            enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
        ) throws(Refusal) {
            stopSignal = try rethrowing(StopSignal()) { (error: SystemError) in Refusal(error) }
            QueueLabels.find()
            heartbeat = try Heartbeat(name, threshold: options.threshold)
            // Without a pause, silence would count from here on, before the first question.
            heartbeat.pause()
            self.enqueue = enqueue
            let pollSeconds = options.pollInterval.inSeconds
            do throws(SystemError) {
                try BackgroundThread.start("epitaph-asks") { [weak self, stopSignal] in
                    var number: UInt64 = 0
                    while !stopSignal.wait(seconds: pollSeconds) {
                        guard let self else { return }
                        self.ask(&number)
                    }
                }
            } catch {
                heartbeat.end()
                throw Refusal(error)
            }
        }

        deinit { stop() }

        /// Stops watching. If the queue hangs now, the hang is over.
        public func stop() {
            stopSignal.stop()
            heartbeat.end()
        }

        /// One round. Does nothing while the last question has no answer.
        private func ask(_ number: inout UInt64) {
            guard answered.load(ordering: .acquiring) == number else { return }
            number += 1
            let question = number
            let heartbeat = heartbeat
            enqueue { [weak self] in
                epitaph_heartbeat_answer(heartbeat.number, question)
                self?.answered.store(question, ordering: .releasing)
            }
            // Before the first answer it is unknown whether anything ever runs this queue's work.
            if question > 1 { epitaph_heartbeat_ask(heartbeat.number, question) }
        }
    }
}

/// Finds out once, by experiment, where libdispatch records a thread's queue, for its label.
private enum QueueLabels {
    static func find() { _ = isTriedOut }

    // Two threads, because a match in only one could be chance.
    private static let isTriedOut: Bool = {
        for _ in 0..<2 {
            _ = try? BackgroundThread.during("epitaph-trial") { epitaph_queue_trial() }
        }
        return true
    }()
}
