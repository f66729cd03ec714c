// SPDX-License-Identifier: Apache-2.0
//
// Ways to die in a task, each with callers that its own name promises: SwiftAsyncCrashTests lists
// them. `await Task.yield()` leaves the stack, so that no caller is on it any more.

import Dispatch
import Glibc

/// - Parameter line: makes each function that dies another one; the optimiser would merge them.
@inline(never) func die(_ line: Int = #line) {
    fatalError("in a task, line \(line)")
}

@inline(never) func leaf() async -> Int {
    await Task.yield()
    die()
    return 1
}

@inline(never) func branch() async -> Int {
    await leaf() + 1
}

/// Dies in its own code, not in a function it calls.
@inline(never) func trapHere(_ numbers: [Int], _ index: Int) async -> Int {
    await Task.yield()
    return numbers[index]
}

@inline(never) func trapBranch(_ index: Int) async -> Int {
    await trapHere([1, 2], index) + 1
}

@inline(never) func sinkDeep(_ depth: Int) -> Int {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 128) { room in
        room.initialize(repeating: depth)
        if depth == 0 { die() }
        return sinkDeep(depth - 1) &+ room[depth % 128]
    }
}

/// Calls functions that are not async, with more stack than a dump looks for pointers in. qsort(3)
/// has other uses for the register the context came in.
@inline(never) func callDeep(_ depth: Int) async -> Int {
    await Task.yield()
    var numbers = [depth, 1, 2]
    qsort(&numbers, numbers.count, 8) { _, _ in Int32(truncatingIfNeeded: sinkDeep(200)) }
    return numbers[0]
}

@inline(never) func deepBranch(_ depth: Int) async -> Int {
    await callDeep(depth) + 1
}

@inline(never) func descend(_ depth: Int) async -> Int {
    if depth == 0 { return await leaf() }
    return await descend(depth - 1) + 1
}

/// Dies on the way back from its recursion.
@inline(never) func ascend(_ depth: Int) async -> Int {
    if depth == 0 {
        await Task.yield()
        return 0
    }
    let below = await ascend(depth - 1)
    if below == 2 { die() }
    return below + 1
}

/// Dies once its parent has had time to await something.
@inline(never) func child() async -> Int {
    try? await Task.sleep(nanoseconds: 300_000_000)
    return await branch() + 1
}

@inline(never) func letParent() async -> Int {
    async let first = child()
    return await first + 1
}

/// Waits for something else, for good.
@inline(never) func busyParent() async -> Int {
    async let first = child()
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    return await first + 1
}

@inline(never) func groupParent() async -> Int {
    await withTaskGroup(of: Int.self) { group in
        group.addTask { await child() }
        return await group.next() ?? 0
    }
}

@inline(never) func groupBody() async -> Int {
    await withTaskGroup(of: Int.self) { group in
        group.addTask { 1 }
        let first = await group.next() ?? 0
        return await branch() + first
    }
}

actor Till {
    var amount = 0

    @inline(never) func deposit(_ more: Int) async -> Int {
        amount += more
        return await count() + amount
    }

    @inline(never) func count() async -> Int {
        await Task.yield()
        die()
        return amount
    }
}

@inline(never) func customer() async -> Int {
    await Till().deposit(2) + 1
}

@MainActor @inline(never) func onMain() async -> Int {
    await branch() + 1
}

struct NoBooks: Error {}

@inline(never) func borrow(_ count: Int) async throws -> Int {
    await Task.yield()
    if count < 0 { throw NoBooks() }
    return count
}

@inline(never) func borrowTwice(_ count: Int) async throws -> Int {
    _ = try await borrow(count)
    do {
        return try await borrow(-count)
    } catch {
        die()
        throw error
    }
}

@inline(never) func reader(_ count: Int) async -> Int {
    (try? await borrowTwice(count)) ?? 0
}

@inline(never) func drain() async -> Int {
    let stream = AsyncStream<Int> { continuation in
        for number in 0..<3 { continuation.yield(number) }
        continuation.finish()
    }
    var sum = 0
    for await number in stream {
        sum += number
        if number == 1 { sum += await branch() }
    }
    return sum
}

@inline(never) func fill() async -> Int {
    var sum = 0
    for await number in AsyncStream<Int>(unfolding: { await branch() }) { sum += number }
    return sum
}

protocol Service: Sendable {
    func serve(_ request: Int) async throws -> Int
}

struct Bakery: Service {
    @inline(never) func serve(_ request: Int) async throws -> Int {
        await branch() + request
    }
}

@inline(never) func order(_ service: any Service) async throws -> Int {
    try await service.serve(3) + 1
}

@inline(never) func orderAny<Shop: Service>(_ shop: Shop) async -> Int {
    (try? await order(shop)) ?? 0
}

@inline(never) func transform<Input, Output>(
    _ input: Input, _ change: (Input) async -> Output
) async -> Output {
    await change(input)
}

@inline(never) func closures() async -> Int {
    await transform(3) { await branch() + $0 }
}

@inline(never) func awaitCallback() async -> Int {
    let value = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: 4) }
    }
    die()
    return value
}

@inline(never) func callbackBranch() async -> Int {
    await awaitCallback() + 1
}

enum Request {
    @TaskLocal static var number = 0
}

@inline(never) func withRequest() async -> Int {
    await Request.$number.withValue(7) { await branch() + Request.number }
}

@inline(never) func nap() async -> Int {
    try? await Task.sleep(nanoseconds: 1_000_000)
    die()
    return 1
}

@inline(never) func napBranch() async -> Int {
    await nap() + 1
}

@inline(never) func awaitTask() async -> Int {
    let task = Task { await child() }
    return await task.value
}

/// Starts a task whose value it awaits only after something else, which never comes.
@inline(never) func busyStarter() async -> Int {
    let task = Task { await child() }
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    return await task.value
}

// The shape of a server: a task for each connection, a middleware, and a handler that asks two
// others at once.

@inline(never) func serveConnections() async -> Int {
    let incoming = AsyncStream(Int.self) { $0.yield(1) }
    await withDiscardingTaskGroup { connections in
        for await number in incoming {
            connections.addTask { _ = await serveConnection(number) }
        }
    }
    return 0
}

@inline(never) func serveConnection(_ number: Int) async -> Int {
    await throughMiddleware(number) { await handle($0) }
}

@inline(never) func throughMiddleware(
    _ number: Int, _ next: @Sendable (Int) async -> Int
) async -> Int {
    await next(number) + 1
}

@inline(never) func handle(_ number: Int) async -> Int {
    await withTaskGroup(of: Int.self) { answers in
        for _ in 0..<2 { answers.addTask { await child() } }
        var sum = number
        for await answer in answers { sum += answer }
        return sum
    }
}
