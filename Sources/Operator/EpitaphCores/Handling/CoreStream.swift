// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Glibc

/// The pipe from the kernel: headers, notes, then memory in address order. The dying process stays
/// unchanged until the pipe is closed or read to the end.
struct CoreStream {
    private let input: FileDescriptor
    let beginning: [UInt8]

    /// The notes of 16,384 threads.
    private static let mostBytes = 256 << 20
    private static let chunk = 1 << 20

    /// - Throws: the error of read(2). A core that ends early gives fewer bytes.
    init(_ input: FileDescriptor) throws(SystemError) {
        self.input = input
        var bytes: [UInt8] = []
        // The header and the first program header, PT_NOTE: fs/binfmt_elf.c.
        try Self.read(input, upTo: 64 + 56, &bytes)
        let head = ByteSlice(bytes)
        if CoreReader.isCore(head), let offset = head.load(at: 64 + 8, as: UInt64.self),
            let size = head.load(at: 64 + 32, as: UInt64.self),
            head.load(at: 64, as: UInt32.self) == 4
        {
            let wanted = offset.addingClamped(size)
            try Self.read(input, upTo: Int(clamping: min(wanted, UInt64(Self.mostBytes))), &bytes)
        }
        beginning = bytes
    }

    private static func read(
        _ input: FileDescriptor, upTo count: Int, _ bytes: inout [UInt8]
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
        defer { buffer.deallocate() }
        while bytes.count < count {
            let wanted = min(buffer.count, count - bytes.count)
            let part = try input.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            guard part > 0 else { return }
            bytes.append(contentsOf: buffer[..<part])
        }
    }

    /// Passes the whole core, from its first byte on, to `sinks`, without those that fail, until
    /// none is left. Returns the number of bytes read.
    @discardableResult
    func pass(to sinks: [any CoreSink]) -> UInt64 {
        var open = sinks.filter { sink in
            beginning.withUnsafeBytes { sink.take($0, at: 0) }
        }
        var position = UInt64(beginning.count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.chunk, alignment: 4096)
        defer { buffer.deallocate() }
        while !open.isEmpty {
            guard let count = try? input.read(into: buffer), count > 0 else { break }
            let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            open = open.filter { $0.take(part, at: position) }
            position += UInt64(count)
        }
        for sink in open { sink.end(position) }
        return position
    }
}

protocol CoreSink: AnyObject {
    /// Takes the bytes at an offset, in order. Returns false if it wants no more.
    func take(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool
    func end(_ byteCount: UInt64)
}

final class CoreFileSink: CoreSink {
    private let file: ScratchFile
    private let limit: UInt64
    /// How many more bytes may be written; asked again when they are used up.
    private let room: () -> Int
    private var granted = 0
    private(set) var byteCount: UInt64 = 0
    private(set) var problem: String?

    init(_ file: ScratchFile, limit: UInt64, room: @escaping () -> Int) {
        self.file = file
        self.limit = limit
        self.room = room
    }

    func take(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool {
        let most = Int(min(UInt64(bytes.count), limit - min(limit, offset)))
        if granted < most { granted = max(room(), 0) }
        let count = min(most, granted)
        do throws(SystemError) {
            granted -= try file.write(
                UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
            byteCount = offset + UInt64(count)
            if count < most { problem = "there is no room for more" }
        } catch {
            problem = error.reason
        }
        if count < bytes.count { problem = problem ?? "it is larger than \(limit >> 20) MiB" }
        if problem != nil { try? file.setSize(byteCount) }
        return problem == nil
    }

    func end(_ byteCount: UInt64) {
        do throws(SystemError) {
            try file.setSize(byteCount)
        } catch {
            problem = error.reason
        }
    }
}

final class CorePipeSink: CoreSink {
    private var output: FileDescriptor?
    let child: Int32

    /// Starts the program with the core as standard input and no other descriptors. The
    /// environment, which the kernel keeps minimal, is inherited.
    init(_ words: [String]) throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .last("pipe", words[0]) }
        // The child gets its end as standard input and must not inherit the other one.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = FileDescriptor(owning: ends[0], path: "pipe")
        let writing = FileDescriptor(owning: ends[1], path: "pipe")
        child = try ChildProcess.spawn(words[0], Array(words.dropFirst()), input: reading)
        output = writing
    }

    func take(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool {
        do throws(SystemError) {
            try output?.writeAll(bytes)
            return output != nil
        } catch {
            // The program wants no more: systemd-coredump stops at its limit.
            output = nil
            return false
        }
    }

    func end(_ byteCount: UInt64) {
        output = nil
    }

    func wait() -> ChildProcess.Ending? {
        output = nil
        return try? ChildProcess.wait(for: child)
    }
}

struct DyingMemory: CoreMemory {
    let file: FileDescriptor
    let ranges: [Range<UInt64>]

    func bytes(at address: UInt64, count: Int) -> ByteSlice {
        var known: [UInt8] = []
        var next = address
        while known.count < count {
            let low = ranges.prefixCount { $0.lowerBound <= next }
            guard low > 0, ranges[low - 1].contains(next) else { break }
            let wanted = min(
                count - known.count, Int(clamping: ranges[low - 1].upperBound - next))
            let part = read(at: next, count: wanted)
            known += part
            next += UInt64(part.count)
            guard part.count == wanted else { break }
        }
        return ByteSlice(known)
    }

    private func read(at address: UInt64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = 0
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[done..<count])
                guard let part = try? file.read(into: rest, at: Int(clamping: address) + done),
                    part > 0
                else { return }
                done += part
            }
        }
    }
}
