// SPDX-License-Identifier: Apache-2.0

import Glibc

private final class Work {
    let body: () -> Int
    var result = 0

    init(_ body: @escaping () -> Int) { self.body = body }
}

/// A thread that runs `body`; `join` waits for what it returned.
struct RunningThread {
    private let thread: pthread_t
    private let work: Work

    init(_ body: @escaping () -> Int) {
        work = Work(body)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                work.result = work.body()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        guard result == 0 else { exit(71) }
        self.thread = thread
    }

    func join() -> Int {
        pthread_join(thread, nil)
        return work.result
    }
}

func onThread(_ body: () -> Int) -> Int {
    withoutActuallyEscaping(body) { RunningThread($0).join() }
}
