// SPDX-License-Identifier: Apache-2.0

import Glibc

extension FileDescriptor {
    /// The first `count` bytes, perhaps fewer, to the end of `target`; zeros as holes.
    package func copy(_ count: Int, to target: FileDescriptor) throws(SystemError) {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { chunk.deallocate() }
        let start = lseek(target.rawValue, 0, SEEK_CUR)
        var offset = 0
        while offset < count {
            let wanted = min(chunk.count, count - offset)
            let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted])
            let got = try read(into: part, at: offset)
            guard got > 0 else { break }
            let bytes = UnsafeRawBufferPointer(rebasing: part[..<got])
            if start < 0 || !ScratchFile.isZero(bytes) {
                try target.writeAll(bytes)
            } else if lseek(target.rawValue, off_t(got), SEEK_CUR) < 0 {
                throw .last("lseek", target.path)
            }
            offset += got
        }
        // A hole at the end is none before the file has its size.
        guard start < 0 || ftruncate(target.rawValue, start + off_t(offset)) == 0 else {
            throw .last("ftruncate", target.path)
        }
    }
}

extension Directory {
    /// Across file systems copies, syncs and removes the file; after an interruption the original
    /// remains, and the next attempt replaces the partial copy.
    package func move(
        _ name: String, to other: Directory, as newName: String
    ) throws(SystemError) {
        do throws(SystemError) {
            try rename(name, to: other, as: newName)
        } catch {
            guard error.errorNumber == EXDEV else { throw error }
            try copy(name, to: other, as: newName)
            try remove(name)
        }
    }

    private func copy(
        _ name: String, to other: Directory, as newName: String
    ) throws(SystemError) {
        let source = try openForReading(name)
        let status = try source.fileStatus()
        guard status.kind == .regular else {
            throw SystemError(call: "renameat", subject: path(of: name), errorNumber: EXDEV)
        }
        try other.remove(newName)
        let target = try other.create(newName)
        do throws(SystemError) {
            try source.copy(status.sizeBytes, to: target)
            try target.synchronize()
            try other.synchronize()
        } catch {
            _ = try? other.remove(newName)
            throw error
        }
    }
}
