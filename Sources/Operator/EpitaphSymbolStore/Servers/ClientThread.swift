// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

/// A thread that runs work items in order, as long as this object lives.
///
/// A session of libdebuginfod belongs to one thread. This one also keeps its initial rights:
/// another user's report is read with that user's rights, setfsuid(2), but files go into the cache
/// of the user who runs us.
final class ClientThread: Sendable {
    private final class Queue: Sendable {
        struct State {
            var work: (@Sendable () -> Void)?
            var isOver = false
        }

        let state = Mutex(State())
        let wake = WakeSignal()

        func run() {
            while true {
                let (work, isOver) = state.withLock { state in
                    defer { state.work = nil }
                    return (state.work, state.isOver)
                }
                if let work {
                    work()
                } else if isOver {
                    return
                } else {
                    wake.wait(seconds: 3_600)
                }
            }
        }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let wake = WakeSignal()
    }

    private let queue = Queue()
    /// Some work missed its time limit; the thread is given up.
    private let isLost = Atomic(false)

    /// Seconds between calls of `goesOn`.
    private static let interval = 0.1
    /// Seconds for work to stop when told to.
    private static let grace = 20.0

    init() throws(SystemError) {
        try BackgroundThread.start("symbol client") { [queue] in queue.run() }
    }

    deinit {
        queue.state.withLock { $0.isOver = true }
        queue.wake.give()
    }

    /// Runs `body` on the thread and waits for it. For one caller at a time.
    ///
    /// - Parameter goesOn: called on the calling thread while it waits; false when `body` has been
    ///   told to stop, which it must do within 20 s.
    /// - Returns: nil if it did not stop; the thread then runs nothing any more.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value, goesOn: () -> Bool = { true }
    ) -> Value? {
        guard !isLost.load(ordering: .relaxed) else { return nil }
        let outcome = Outcome<Value>()
        queue.state.withLock {
            $0.work = {
                let value = body()
                outcome.value.withLock { $0 = value }
                outcome.wake.give()
            }
        }
        queue.wake.give()
        var deadline: ContinuousClock.Instant?
        while true {
            outcome.wake.wait(seconds: Self.interval)
            if let value = outcome.value.withLock({ $0 }) { return value }
            if let deadline {
                guard ContinuousClock.now < deadline else { break }
            } else if !goesOn() {
                deadline = .now + .seconds(Self.grace)
            }
        }
        isLost.store(true, ordering: .relaxed)
        return nil
    }
}
