// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@Suite struct FileDescriptorTests {
    @Test("Bytes written in the middle leave the rest, and a file can be cut")
    func positions() throws {
        let directory = try TemporaryDirectory()
        let file = try FileDescriptor.create(directory.path("file"))
        try file.writeAll([1, 2, 3, 4], at: 0)
        try file.writeAll([9, 8], at: 1)
        try file.writeAll([], at: 1)
        #expect(try file.readBytes(count: 2, at: 1) == [9, 8])
        #expect(try file.readBytes(count: 9, at: 3) == [4])
        #expect(try file.readBytes(count: 9, at: 4) == [])
        #expect(try file.readAll() == [1, 9, 8, 4])
        try file.truncate(toBytes: 2)
        #expect(try file.fileStatus().sizeBytes == 2)
        #expect(throws: SystemError.self) { try file.truncate(toBytes: -1) }
    }

    @Test("A FIFO in place of a file does not hang the reader")
    func fifo() throws {
        let directory = try TemporaryDirectory()
        mkfifo(directory.path("fifo"), 0o600)
        #expect(try FileDescriptor.openForReading(directory.path("fifo")).readAll() == [])
        #expect(throws: SystemError.self) { try FileBytes.contents(of: directory.path("fifo")) }
    }

    @Test("A read that a signal interrupts goes on until there are bytes")
    func interruptedRead() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reader = FileDescriptor(owning: ends[0], path: "pipe")
        let writer = FileDescriptor(owning: ends[1], path: "pipe")
        var action = sigaction()
        // No SA_RESTART: the kernel answers EINTR.
        action.__sigaction_handler.sa_handler = { _ in caughtSignals.add(1, ordering: .relaxed) }
        var before = sigaction()
        sigaction(SIGUSR2, &action, &before)
        defer { sigaction(SIGUSR2, &before, nil) }

        let result = Mutex<[UInt8]?>(nil)
        let threadID = Atomic<Int>(0)
        let pthread = Atomic<UInt>(0)
        let thread = Thread {
            pthread.store(UInt(pthread_self()), ordering: .relaxed)
            // Worker threads of the runtime block most signals, and threads inherit that.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR2)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            // A link to PID/task/TID.
            let link = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self")
            let number = link?.split(separator: "/").last.flatMap { Int($0) }
            threadID.store(number ?? -1, ordering: .releasing)
            let bytes = try? reader.readAll(limit: 1)
            result.withLock { $0 = bytes ?? [0xEE] }
        }
        thread.start()
        #expect(eventually { threadID.load(ordering: .acquiring) != 0 })
        let task = threadID.load(ordering: .acquiring)
        // System call 0 is read on x86_64, 63 on aarch64: the thread is inside it.
        let isReading = {
            let call = try? String(
                contentsOfFile: "/proc/self/task/\(task)/syscall", encoding: .utf8)
            return call?.hasPrefix("0 0x\(String(ends[0], radix: 16)) ") == true
                || call?.hasPrefix("63 0x\(String(ends[0], radix: 16)) ") == true
        }
        for round in 1...3 {
            #expect(eventually(isReading))
            pthread_kill(pthread_t(pthread.load(ordering: .relaxed)), SIGUSR2)
            #expect(eventually { caughtSignals.load(ordering: .relaxed) >= round })
        }
        #expect(result.withLock { $0 } == nil)
        var sink = FileSink(writer)
        try sink.append([7])
        #expect(eventually { result.withLock { $0 } != nil })
        #expect(result.withLock { $0 } == [7])
    }
}

private let caughtSignals = Atomic<Int>(0)
