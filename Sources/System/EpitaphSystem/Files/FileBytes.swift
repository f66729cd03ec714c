// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc
import Synchronization

/// A regular file's bytes, read on access. Not mapped, because truncation or a disk error would
/// raise SIGBUS; here missing bytes are zeros, see `readProblem`. Counts as `HeldMemory`.
// Sendable: `bytes` is written under the lock before `states` is set.
package final class FileBytes: ByteOwner, @unchecked Sendable {
    /// As long as the file was when opened. Valid only where `prepare` was called.
    package let bytes: UnsafeRawBufferPointer

    private let memory: UnsafeMutableRawBufferPointer
    private let source: FileSource
    private let states: UnsafeMutableBufferPointer<Atomic<UInt8>>
    private let problem = ForkSafeMutex<String?>(nil)

    private static let windowBytes = 1 << 12
    /// Unit of reading and releasing: see `WrittenPages`.
    private static let runBytes = 1 << 21
    package static let mostBytes = 1 << 34

    /// Opens the file at `path`. Throws EINVAL unless it is a regular file, EISDIR for a directory.
    package static func contents(of path: String) throws(SystemError) -> ByteSlice {
        try contents(of: FileDescriptor.openForReading(path))
    }

    package static func contents(of file: FileDescriptor) throws(SystemError) -> ByteSlice {
        try contents(of: FileSource(file))
    }

    static func contents(of source: FileSource) throws(SystemError) -> ByteSlice {
        let file = try source.descriptor()
        let status = try file.status()
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SystemError(call: "open", subject: file.path, errorNumber: EISDIR)
        default: throw SystemError(call: "open", subject: file.path, errorNumber: EINVAL)
        }
        let size = Int(clamping: status.st_size)
        guard size <= mostBytes else {
            throw SystemError(call: "open", subject: file.path, errorNumber: EFBIG)
        }
        // /proc files have contents although their size is 0.
        guard size > 0 else { return ByteSlice(try file.readAll(limit: runBytes)) }
        let contents = ByteSlice(owner: try FileBytes(source, size: size, path: file.path))
        // Fail now if the file cannot be read at all.
        var first: UInt8 = 0
        try withUnsafeMutableBytes(of: &first) { buffer throws(SystemError) in
            _ = try file.read(into: buffer, at: 0)
        }
        return contents
    }

    private init(_ source: FileSource, size: Int, path: String) throws(SystemError) {
        // Reserves address space only: MAP_NORESERVE, mmap(2).
        guard
            let address = mmap(
                nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0), address != MAP_FAILED
        else { throw .last("mmap", path) }
        // Otherwise touching one byte could take 2 MiB.
        madvise(address, size, MADV_NOHUGEPAGE)
        memory = UnsafeMutableRawBufferPointer(start: address, count: size)
        bytes = UnsafeRawBufferPointer(memory)
        self.source = source
        states = .allocate(capacity: (size - 1) / Self.windowBytes + 1)
        for index in states.indices {
            (states.baseAddress! + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        HeldMemory.giveBack(readWindows(in: states.indices) * Self.windowBytes)
        munmap(memory.baseAddress, memory.count)
        states.baseAddress?.deinitialize(count: states.count)
        states.deallocate()
    }

    /// First reason why bytes are zeros, as a clause; nil if there is none.
    package var readProblem: String? { problem.withLock { $0 } }

    /// Reads missing windows of `range`. Unreadable bytes are zeros; see `readProblem`.
    package func prepare(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let windows =
            range.lowerBound / Self.windowBytes...(range.upperBound - 1) / Self.windowBytes
        for window in windows where !isRead(window) {
            return read(window...windows.upperBound)
        }
    }

    package func copy(_ range: Range<Int>, to target: UnsafeMutableRawBufferPointer) {
        problem.withLock { problem in
            let count = fill(target, from: range.lowerBound, &problem)
            target[count...].initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Releases the memory of all 2 MiB runs that overlap `range`; they are read again on demand.
    package func forget(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let start = range.lowerBound / Self.runBytes * Self.runBytes
        let end = min(
            bytes.count, (range.upperBound - 1) / Self.runBytes * Self.runBytes + Self.runBytes)
        problem.withLock { _ in
            let windows = start / Self.windowBytes...(end - 1) / Self.windowBytes
            let count = readWindows(in: Range(windows))
            guard count > 0 else { return }
            for window in windows { states[window].store(0, ordering: .releasing) }
            madvise(memory.baseAddress! + start, end - start, MADV_DONTNEED)
            HeldMemory.giveBack(count * Self.windowBytes)
        }
    }

    private func isRead(_ window: Int) -> Bool { states[window].load(ordering: .acquiring) != 0 }

    private func readWindows(in windows: Range<Int>) -> Int {
        windows.reduce(0) { $0 + (isRead($1) ? 1 : 0) }
    }

    private func read(_ windows: ClosedRange<Int>) {
        problem.withLock { problem in
            let missing = windows.count - readWindows(in: Range(windows))
            guard HeldMemory.take(missing * Self.windowBytes) else {
                problem = problem ?? HeldMemory.shortage
                return
            }
            var window = windows.lowerBound
            while window <= windows.upperBound {
                guard !isRead(window) else {
                    window += 1
                    continue
                }
                var end = window + 1
                while end <= windows.upperBound, !isRead(end),
                    (end - window) * Self.windowBytes < Self.runBytes
                {
                    end += 1
                }
                let start = window * Self.windowBytes
                let target = memory[start..<min(end * Self.windowBytes, memory.count)]
                _ = fill(UnsafeMutableRawBufferPointer(rebasing: target), from: start, &problem)
                for window in window..<end { states[window].store(1, ordering: .releasing) }
                window = end
            }
        }
    }

    private func fill(
        _ target: UnsafeMutableRawBufferPointer, from offset: Int, _ problem: inout String?
    ) -> Int {
        var done = 0
        do throws(SystemError) {
            let file = try source.descriptor()
            while done < target.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: target[done...])
                let count = try file.read(into: rest, at: offset + done)
                guard count > 0 else {
                    problem = problem ?? "it became shorter while it was read"
                    return done
                }
                done += count
            }
        } catch {
            problem = problem ?? error.reason
        }
        return done
    }
}
