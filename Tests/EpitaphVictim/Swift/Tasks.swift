// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

@inline(never) func taskOuter(_ way: @escaping @Sendable () -> Void) async -> Int {
    await taskMiddle(way) + 1
}

@inline(never) func taskMiddle(_ way: @escaping @Sendable () -> Void) async -> Int {
    await taskInner(way) + 1
}

/// Goes on after a suspension, so that the callers are on no stack.
@inline(never) func taskInner(_ way: @escaping @Sendable () -> Void) async -> Int {
    await Task.yield()
    way()
    await Task.yield()
    return 1
}

func crashInTask() {
    Task.detached { await taskOuter { fatalError("in a task") } }
    sleep(30)
}

/// Dies in an async function with that many callers, none of which is on the stack.
func crashInTask(depth: Int) {
    Task.detached { await descend(depth) }
    sleep(30)
}

/// Two contexts, each the other's caller: {Parent, ResumeParent}, swift/ABI/Task.h.
func contextsInCircles() -> UnsafeMutablePointer<UInt> {
    let contexts = UnsafeMutablePointer<UInt>.allocate(capacity: 8)
    let code = unsafeBitCast(dlsym(nil, "getpid"), to: UInt.self)
    let first = UInt(bitPattern: contexts)
    contexts.initialize(repeating: 0, count: 8)
    (contexts[0], contexts[1]) = (first + 32, code)
    (contexts[4], contexts[5]) = (first, code)
    return contexts
}

func crashInTask(with contexts: UnsafeMutablePointer<UInt>) {
    withExtendedLifetime(contexts) { fatalError("beside \(contexts)") }
}

/// The main thread dies while a task waits on a thread of its own.
func crashWhileTaskWaits() {
    let isThere = DispatchSemaphore(value: 0)
    Task.detached {
        await taskOuter {
            isThere.signal()
            sleep(30)
        }
    }
    isThere.wait()
    crashFatalError()
}

/// Serial queues have a thread each while they have something to do.
func crashWithWorkers(_ count: Int) {
    let entered = DispatchSemaphore(value: 0)
    let never = DispatchSemaphore(value: 0)
    for index in 0..<count {
        DispatchQueue(label: "worker-\(index)").async {
            entered.signal()
            never.wait()
        }
    }
    for _ in 0..<count { entered.wait() }
    crashFatalError()
}
