// SPDX-License-Identifier: Apache-2.0

import Glibc

extension FileDescriptor {
    /// The size of a regular file in bytes, fstat(2). Anything else has no size to rely on and is an error: EISDIR for a
    /// directory, EINVAL for a device, a FIFO or a socket.
    public func regularFileSize() throws(SystemError) -> Int {
        let status = try status()
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int(status.st_size)
        case S_IFDIR: throw SystemError(call: "fstat", subject: path, errorNumber: EISDIR)
        default: throw SystemError(call: "fstat", subject: path, errorNumber: EINVAL)
        }
    }
}
