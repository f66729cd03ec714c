// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Threads that serve connections, one at a time each. All have begun when the initialiser returns.
final class WorkerPool: Sendable {
    private let waiting = Mutex<[Connection]>([])
    private let available = DispatchSemaphore(value: 0)
    private let started = DispatchSemaphore(value: 0)
    private let serve: @Sendable (Connection) -> Void

    init(count: Int, serve: @escaping @Sendable (Connection) -> Void) {
        self.serve = serve
        for number in 1...count { start(number) }
        for _ in 1...count { started.wait() }
    }

    func add(_ connection: Connection) {
        waiting.withLock { $0.append(connection) }
        available.signal()
    }

    private func start(_ number: Int) {
        Thread { [self] in
            // From inside: Foundation gives the kernel no name that was set before the start.
            Thread.current.name = "worker-\(number)"
            started.signal()
            work()
        }.start()
    }

    private func work() {
        while true {
            available.wait()
            guard let connection = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
            else { continue }
            serve(connection)
        }
    }
}
