// SPDX-License-Identifier: Apache-2.0

import Bytes
import Glibc

extension MappedFile {
    /// As `contents(of:)` for a path that may lead through symbolic links, as those of shared
    /// libraries do. For files whose contents are checked by other means than their place.
    ///
    /// The kind of file is asked for first: opening a device can already do something.
    public static func contents(following path: String) throws(SystemError) -> ByteSlice {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last("stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(call: "open", subject: path, errorNumber: EINVAL)
        }
        let descriptor = retryingInterrupts { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .last("open", path) }
        return try contents(of: FileDescriptor(owning: descriptor, path: path))
    }
}
