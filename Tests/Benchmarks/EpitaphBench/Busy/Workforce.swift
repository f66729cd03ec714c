// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Threads that take orders apart, each at another depth of another call when the crash comes.
final class Workforce: Sendable {
    private let count: Int
    private let usedStackByteCount: Int
    private let busyCount = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)

    init(count: Int, usedStackByteCount: Int) {
        self.count = count
        self.usedStackByteCount = usedStackByteCount
    }

    func runUntilCrash() {
        for number in 1..<max(count, 1) {
            startThread(stackByteCount: (1 << 20) + usedStackByteCount) { [self] in
                spread(over: usedStackByteCount) { self.work(number) }
            }
        }
        while busyCount.load(ordering: .acquiring) < count - 1 { usleep(1_000) }
        OrderBook(number: count).settle { $0.isEmpty ? nil : UnsafeMutablePointer(bitPattern: 16) }
    }

    private func work(_ number: Int) {
        var orders = OrderBook(number: number).orders
        // Every comparison is a call through a closure; the thread stays in one of them.
        var comparisonsLeft = 20 + number % 17
        orders.sort { left, right in
            comparisonsLeft -= 1
            if comparisonsLeft == 0 { self.stay(number) }
            return left.ranks(before: right)
        }
    }

    @inline(never)
    private func stay(_ number: Int) {
        let tree = Expression.made(ofDepth: 4 + number % 23)
        _ = tree.value { leaf in
            self.busyCount.add(1, ordering: .releasing)
            while !self.isOver.load(ordering: .acquiring) { self.wait(number) }
            return leaf
        }
    }

    private func wait(_ number: Int) {
        if number % 3 == 0 { sleep(1) } else { poll(nil, 0, 1_000) }
    }
}

/// Calls `body` with at least that many bytes of used stack below it, in many small frames: Swift
/// keeps large temporaries on the heap.
@inline(never)
func spread(over byteCount: Int, _ body: () -> Void) {
    guard byteCount > 0 else { return body() }
    withUnsafeTemporaryAllocation(byteCount: 1_000, alignment: 16) { bytes in
        // What the kernel writes the compiler has to keep. 256 bytes are all that getentropy(3)
        // gives at once.
        getentropy(bytes.baseAddress, 256)
        spread(over: byteCount - bytes.count, body)
        getentropy(bytes.baseAddress, 256)
    }
}

func startThread(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, stackByteCount)
    let box = Unmanaged.passRetained(Job(body))
    var thread = pthread_t()
    let result = pthread_create(
        &thread, &attributes,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    guard result == 0 else { exit(71) }
}

private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
