// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

private final class Work {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}

/// A thread that runs `body`; `join` waits for its end.
struct RunningThread {
    private let thread: pthread_t

    init(_ body: @escaping () -> Void) {
        let work = Work(body)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                work.body()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        guard result == 0 else { exit(71) }
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}

func onThread<Value>(_ body: () -> Value) -> Value {
    var value: Value?
    withoutActuallyEscaping({ value = body() }) { RunningThread($0).join() }
    guard let value else { exit(71) }
    return value
}

/// Runs `body` in a Swift task.
func onTask<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
    let result = TaskResult<Value>()
    Task.detached {
        let value = body()
        result.value.withLock { $0 = value }
    }
    while true {
        if let value = result.value.withLock({ $0 }) { return value }
        usleep(10_000)
    }
}

private final class TaskResult<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
