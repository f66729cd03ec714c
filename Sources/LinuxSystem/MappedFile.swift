// SPDX-License-Identifier: Apache-2.0

import Bytes
import Glibc

/// A regular file's bytes, mapped read-only.
///
/// A page the disk cannot give would raise SIGBUS at the first touch, so the kernel is asked for all
/// of them beforehand, which answers with an error instead: with MADV_POPULATE_READ of madvise(2),
/// or by reading the file where the kernel (before 5.14) or its /proc does not have that. Bytes
/// handed on with write(2) are safe either way: the kernel answers EFAULT.
// Sendable: the mapping is read-only.
public final class MappedFile: ByteOwner, @unchecked Sendable {
    public let bytes: UnsafeRawBufferPointer

    private init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    deinit {
        if let address = bytes.baseAddress {
            munmap(UnsafeMutableRawPointer(mutating: address), bytes.count)
        }
    }

    /// The contents of the file at `path`; empty for an empty one. Anything but a regular file is
    /// an error (EINVAL; EISDIR for a directory).
    public static func contents(of path: String) throws(SystemError) -> ByteSlice {
        try contents(of: FileDescriptor.openForReading(path))
    }

    /// As above for an open file, which may be closed afterwards.
    public static func contents(of file: FileDescriptor) throws(SystemError) -> ByteSlice {
        let status = try file.status()
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SystemError(call: "open", subject: file.path, errorNumber: EISDIR)
        default: throw SystemError(call: "open", subject: file.path, errorNumber: EINVAL)
        }
        // Files of /proc have no size and contents all the same.
        let size = Int(clamping: status.st_size)
        if size > 0, let mapped = try populated(file, size: size) { return mapped }
        return try map(file, size: readableSize(of: file))
    }

    private static func map(
        _ file: FileDescriptor, size: Int
    ) throws(SystemError) -> ByteSlice {
        guard size > 0 else { return .empty }
        guard
            let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.rawValue, 0),
            address != MAP_FAILED
        else { throw .last("mmap", file.path) }
        return ByteSlice(
            owner: MappedFile(bytes: UnsafeRawBufferPointer(start: address, count: size)))
    }

    /// The file with all its pages known to be there; nil where the kernel cannot tell.
    private static func populated(
        _ file: FileDescriptor, size: Int
    ) throws(SystemError) -> ByteSlice? {
        let slice = try map(file, size: size)
        let window = 1 << 21
        for offset in stride(from: 0, to: size, by: window) {
            let count = min(window, size - offset)
            let answer: Int32 = slice.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                let start = UnsafeMutableRawPointer(mutating: base + offset)
                let answer = madvise(start, count, populateRead)
                // A large file must not count as memory of ours all at once.
                if size > mostKeptBytes { madvise(start, count, MADV_DONTNEED) }
                return answer
            }
            guard answer != 0 else { continue }
            // EFAULT: touching a page would be SIGBUS.
            guard errno == EFAULT else { return nil }
            throw SystemError(call: "read", subject: file.path, errorNumber: EIO)
        }
        return slice
    }

    /// MADV_POPULATE_READ, asm-generic/mman-common.h.
    private static let populateRead: Int32 = 22
    private static let mostKeptBytes = 16 << 20

    public func forget(_ range: Range<Int>) {
        guard !range.isEmpty, let base = bytes.baseAddress else { return }
        // A fault maps more than its page, up to the whole page table it is in (mm/memory.c,
        // do_fault_around, finish_fault), so neighbours go, too: what is needed of them comes back
        // from the page cache.
        let window = 1 << 21
        let offset = Int(bitPattern: base) % window
        let start = max(0, (range.lowerBound + offset) / window * window - offset)
        let windowEnd = (range.upperBound + offset + window - 1) / window * window - offset
        let end = min(bytes.count, windowEnd)
        madvise(UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED)
    }

    /// Reads through the file and counts; a read error comes out here.
    private static func readableSize(of file: FileDescriptor) throws(SystemError) -> Int {
        let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
        defer { window.deallocate() }
        var size = 0
        while true {
            let count = try file.read(into: window, at: size)
            guard count > 0 else { return size }
            size += count
        }
    }
}
