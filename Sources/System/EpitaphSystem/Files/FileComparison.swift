// SPDX-License-Identifier: Apache-2.0

import Glibc

extension FileDescriptor {
    package func hasSameContents(as other: FileDescriptor) throws(SystemError) -> Bool {
        let size = try fileStatus().sizeBytes
        guard try other.fileStatus().sizeBytes == size else { return false }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { memory.deallocate() }
        let half = memory.count / 2
        var offset = 0
        while offset < size {
            let wanted = min(half, size - offset)
            let own = UnsafeMutableRawBufferPointer(rebasing: memory[..<wanted])
            let its = UnsafeMutableRawBufferPointer(rebasing: memory[half..<half + wanted])
            guard try fill(own, at: offset), try other.fill(its, at: offset),
                let mine = own.baseAddress, let theirs = its.baseAddress,
                memcmp(mine, theirs, wanted) == 0
            else { return false }
            offset += wanted
        }
        return true
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Bool {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(into: rest, at: offset + done)
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}
