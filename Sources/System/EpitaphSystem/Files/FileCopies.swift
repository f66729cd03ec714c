// SPDX-License-Identifier: Apache-2.0

import Glibc

extension FileDescriptor {
    /// Copies the first `count` bytes, fewer if the file shrank, to the position of `target`.
    package func copy(_ count: Int, to target: FileDescriptor) throws(SystemError) {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { chunk.deallocate() }
        var offset = 0
        while offset < count {
            let wanted = min(chunk.count, count - offset)
            let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted])
            let got = try read(into: part, at: offset)
            guard got > 0 else { return }
            try target.writeAll(UnsafeRawBufferPointer(rebasing: part[..<got]))
            offset += got
        }
    }
}

extension Directory {
    /// renameat(2), replacing `newName`. Across file systems copies, syncs and removes the file;
    /// after an interruption the original remains, and the next attempt replaces the partial copy.
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
