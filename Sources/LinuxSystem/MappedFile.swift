// SPDX-License-Identifier: Apache-2.0

import Bytes
import Glibc

/// A regular file's bytes, mapped read-only.
///
/// A page the disk cannot give would raise SIGBUS at the first touch, so the whole file is read
/// once with read(2), which answers with an error instead; the pages then come from the page cache.
/// Bytes handed on with write(2) are safe either way: the kernel answers EFAULT.
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
        let size = try readableSize(of: file)
        guard size > 0 else { return .empty }
        guard
            let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.rawValue, 0),
            address != MAP_FAILED
        else { throw .last("mmap", file.path) }
        let bytes = UnsafeRawBufferPointer(start: address, count: size)
        return ByteSlice(owner: MappedFile(bytes: bytes))
    }

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
