// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc
import Synchronization

/// Detached threads of Epitaph in the host program.
package enum BackgroundThread {
    /// Starts a thread that runs `body` once. It blocks process-directed signals, which are for the
    /// program's threads; in a program that uses signalfd(2) they would otherwise kill the process
    /// here. Faults, SIGABRT and SIGPROF, which stops threads for a capture, are not blocked.
    /// Throws if no thread can be created.
    ///
    /// - Parameter name: at most 15 bytes are kept, proc(5). Without /proc the thread has the
    ///   program's name.
    package static func start(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        pthread_detach(try create(Start(name: String(name.prefix(15)), body: body)))
    }

    /// Runs `body` on such a thread and waits for it.
    package static func during<Value>(
        _ name: String, _ body: () -> Value
    ) throws(SystemError) -> Value {
        let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        defer { place.deallocate() }
        // `body` does not escape: the thread has ended when this returns.
        try withoutActuallyEscaping(body) { (body) throws(SystemError) in
            let work = Borrowed(body: body, place: place)
            let thread = try create(
                Start(name: String(name.prefix(15))) { work.place.initialize(to: work.body()) })
            epitaph_wait_thread(thread)
        }
        return place.move()
    }

    /// Work on such a thread, with a result to wait for.
    package final class Work<Value: Sendable> {
        private let value = Place()
        private var thread: pthread_t?

        package init(_ name: String, _ body: @escaping @Sendable () -> Value) {
            let run: @Sendable () -> Void = { [value] in
                let result = body()
                value.content.withLock { $0 = result }
            }
            thread = try? create(Start(name: String(name.prefix(15)), body: run))
            if thread == nil { run() }
        }

        deinit {
            if let thread { pthread_detach(thread) }
        }

        package func wait() -> Value {
            if let thread { epitaph_wait_thread(thread) }
            thread = nil
            guard let result = value.content.withLock({ $0 }) else {
                preconditionFailure("a thread ended without its result")
            }
            return result
        }

        private final class Place: Sendable {
            let content = ForkSafeMutex<Value?>(nil)
        }
    }

    /// In the middle of long work, with no lock held: lets a fork(2) that waits go on.
    package static func breathe() {
        epitaph_wait_begin()
        epitaph_wait_end()
    }

    private struct Borrowed<Value>: @unchecked Sendable {
        let body: () -> Value
        let place: UnsafeMutablePointer<Value>
    }

    private static func create(_ start: Start) throws(SystemError) -> pthread_t {
        let retained = Unmanaged.passRetained(start)
        var thread = pthread_t()
        // The new thread inherits the mask, so it never runs with the wrong one.
        var mask = backgroundMask()
        var earlierMask = sigset_t()
        pthread_sigmask(SIG_SETMASK, &mask, &earlierMask)
        let result = pthread_create(&thread, nil, runStart, retained.toOpaque())
        pthread_sigmask(SIG_SETMASK, &earlierMask, nil)
        guard result == 0 else {
            retained.release()
            throw SystemError(call: "pthread_create", subject: start.name, errorNumber: result)
        }
        return thread
    }

    private static let runStart:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            epitaph_work_begin()
            defer { epitaph_work_end() }
            guard let argument = $0 else { return nil }
            let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
            nameCallingThread(start.name)
            start.body()
            return nil
        }

    // pthread_setname_np(3) is not visible to Swift; glibc needs _GNU_SOURCE.
    private static func nameCallingThread(_ name: String) {
        guard
            let file = try? FileDescriptor.open("/proc/thread-self/comm", flags: O_WRONLY, mode: 0)
        else { return }
        var sink = FileSink(file)
        try? sink.append(Array(name.utf8))
    }

    private static func backgroundMask() -> sigset_t {
        var mask = sigset_t()
        sigfillset(&mask)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF] {
            sigdelset(&mask, signal)
        }
        return mask
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

extension BackgroundThread {
    /// Runs a blocking `body` on a thread of its own and suspends the task: Swift's task pool has
    /// one thread for each processor. Cancellation does not end the wait; `body` must check for it.
    ///
    /// - Throws: if no thread can be created; then `body` was not run.
    package static func run<Value: Sendable, Failure: Error>(
        _ name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(SystemError) -> Result<Value, Failure> {
        let outcome: Result<Result<Value, Failure>, SystemError> =
            await withCheckedContinuation { continuation in
                do throws(SystemError) {
                    try start(name) {
                        continuation.resume(returning: .success(Result(catching: body)))
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        return try outcome.get()
    }
}

/// A thread that is started once, and again after a start that failed.
package final class OneThread: Sendable {
    private let isTaken = Atomic(false)

    package init() {}

    package var isStarted: Bool { isTaken.load(ordering: .acquiring) }

    /// Does nothing if it is started already.
    package func start(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        do throws(SystemError) {
            try BackgroundThread.start(name, body)
        } catch {
            isTaken.store(false, ordering: .releasing)
            throw error
        }
    }
}
