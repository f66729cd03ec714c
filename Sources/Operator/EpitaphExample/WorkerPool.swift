// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Threads that serve one connection each at a time. All have started when the initialiser returns.
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
        startThread("worker-\(number)") { [self] in
            started.signal()
            work()
        }
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

/// Sets the name in the kernel, too, proc(5), which `Thread.name` of Foundation may miss.
func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
    Thread {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        if file >= 0 {
            let bytes = Array(name.utf8)
            _ = write(file, bytes, bytes.count)
            close(file)
        }
        body()
    }.start()
}
