// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// Calls a function with each element on its own thread. Nothing waits for the function.
    public final class EventSubscription<Element: Sendable>: Sendable {
        private struct State {
            var waiting: [Element] = []
            var isRunning = false
            var isCancelled = false
            var missed: UInt64 = 0
            var failures: UInt64 = 0
            var lastFailure: String?
        }

        private let name: String
        private let limit: Int
        private let body: @Sendable (Element) throws -> Void
        private let state = ForkSafeMutex(State())

        /// - Parameters:
        ///   - name: of its thread, cut to 15 bytes.
        ///   - limit: how many elements may wait; the rest are missed.
        ///   - body: called with one element at a time. Errors that it throws are only counted.
        public init(
            name: String, limit: Int, _ body: @escaping @Sendable (Element) throws -> Void
        ) {
            self.name = name
            self.limit = max(limit, 1)
            self.body = body
        }

        /// Elements missed, because the function was busy or no thread could be started.
        public var missedCount: UInt64 { state.withLock { $0.missed } }
        /// How often it threw.
        public var failureCount: UInt64 { state.withLock { $0.failures } }
        /// The last error, in words; nil if there was none.
        public var lastFailure: String? { state.withLock { $0.lastFailure } }
        public var isCancelled: Bool { state.withLock { $0.isCancelled } }
        /// Whether the function has returned from its calls for everything offered so far.
        public var isIdle: Bool { state.withLock { !$0.isRunning && $0.waiting.isEmpty } }

        /// Whether the calling thread would wait for the function; false in a call of it.
        var isBusyElsewhere: Bool {
            state.withLock { state in
                (state.isRunning || !state.waiting.isEmpty)
                    && RunningObserver.identity != ObjectIdentifier(self)
            }
        }

        /// Prevents further calls. A call in progress goes on.
        public func cancel() {
            state.withLock { state in
                state.isCancelled = true
                state.waiting = []
            }
        }

        /// Queues elements and never waits. Returns how many were missed.
        @discardableResult
        public func offer(_ elements: [Element]) -> Int {
            let (missed, starts) = state.withLock { state in
                guard !state.isCancelled else { return (0, false) }
                let taken = elements.prefix(max(limit - state.waiting.count, 0))
                state.waiting += taken
                let missed = elements.count - taken.count
                state.missed += UInt64(missed)
                let starts = !state.isRunning && !state.waiting.isEmpty
                if starts { state.isRunning = true }
                return (missed, starts)
            }
            guard starts else { return missed }
            do throws(SystemError) {
                // The thread ends with the queue, so an observer of rare events costs no thread.
                try BackgroundThread.start(name) { self.run() }
                return missed
            } catch {
                return missed + giveUp()
            }
        }

        private func giveUp() -> Int {
            state.withLock { state in
                let lost = state.waiting.count
                state.waiting = []
                state.isRunning = false
                state.missed += UInt64(lost)
                return lost
            }
        }

        private func run() {
            while true {
                let elements = state.withLock { state in
                    let elements = state.waiting
                    state.waiting = []
                    if elements.isEmpty { state.isRunning = false }
                    return elements
                }
                guard !elements.isEmpty else { return }
                for element in elements where !isCancelled { call(element) }
            }
        }

        private func call(_ element: Element) {
            do {
                try RunningObserver.$identity.withValue(ObjectIdentifier(self)) {
                    try body(element)
                }
            } catch {
                let words = String(ErrorWords.of(error).prefix(300))
                state.withLock { state in
                    state.failures += 1
                    state.lastFailure = words
                }
            }
        }
    }
}

private enum RunningObserver {
    /// The subscription whose function the calling thread is in.
    @TaskLocal static var identity: ObjectIdentifier?
}
