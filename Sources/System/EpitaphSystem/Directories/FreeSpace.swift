// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

extension Directory {
    /// The size of the file system, and what users without privileges may still write, in bytes:
    /// fstatvfs(3).
    package func space() throws(SystemError) -> (totalBytes: Int, freeBytes: Int) {
        var status = statvfs()
        guard retryingInterrupts({ fstatvfs(descriptor.rawValue, &status) }) == 0 else {
            throw .last("fstatvfs", path)
        }
        func bytes(_ blocks: fsblkcnt_t) -> Int {
            Int(clamping: UInt64(blocks).multipliedClamped(by: UInt64(status.f_frsize)))
        }
        return (bytes(status.f_blocks), bytes(status.f_bavail))
    }
}
