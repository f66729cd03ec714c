// SPDX-License-Identifier: Apache-2.0
//
// Crashes while the Swift runtime holds locks of its own.

import Glibc

struct Left<Inner> {
    var inner: Inner
}

struct Right<Inner> {
    var inner: Inner
}

/// A type for each path, which the runtime has to make when it is met first.
@inline(never) @_optimize(none) func nest<T>(_ type: T.Type, _ path: UInt64) -> Int {
    if path == 0 { return MemoryLayout<T>.size }
    return path & 1 == 0 ? nest(Left<T>.self, path >> 1) : nest(Right<T>.self, path >> 1)
}

/// Makes types without an end.
func makeTypes(from first: UInt64) -> Never {
    var path = first
    while true {
        _ = nest(Int.self, path)
        path += 1
    }
}

func startThread(
    _ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
) {
    var thread = pthread_t()
    pthread_create(&thread, nil, body, nil)
}

/// Other threads make types.
@inline(never) func crashBesideMetadata() {
    startThread { _ in makeTypes(from: 1 << 20) }
    startThread { _ in makeTypes(from: 1 << 24) }
    usleep(2_000)
    crashFatalError()
}

/// Leaves a chunk in the heap's list of free ones that leads nowhere. The optimiser must not see
/// through it: it may leave out stores to memory that is free, and memory that is not used.
@inline(never) @_optimize(none) func destroyHeap() {
    let size = 3_000
    let chunks = [malloc(size), malloc(size), malloc(size)]
    free(chunks[1])
    chunks[1]?.storeBytes(of: 4096, as: UInt.self)
    chunks[1]?.storeBytes(of: 4096, toByteOffset: 8, as: UInt.self)
}

/// The crashing thread makes types on a destroyed heap.
@inline(never) func crashInMetadata() {
    startThread { _ in
        while true { pause() }
    }
    destroyHeap()
    makeTypes(from: 1 << 20)
}

/// The runtime holds a lock while a global is made.
let neverMade: Int = crashInInitialiser()

@inline(never) func crashInInitialiser() -> Int {
    crashUnwrap(Int("no number"))
}
