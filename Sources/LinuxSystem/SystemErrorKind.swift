// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a caller without libc may want to know about an error, errno(3).
extension SystemError {
    /// ENOENT: there is nothing of that name.
    public var isNotFound: Bool { errorNumber == ENOENT }
    /// EEXIST: there is something of that name already.
    public var isAlreadyThere: Bool { errorNumber == EEXIST }
    /// ELOOP from a call that does not follow symbolic links: the name is one.
    public var isSymbolicLink: Bool { errorNumber == ELOOP }
    /// ENOTDIR: a directory was wanted and something else is there.
    public var isNotADirectory: Bool { errorNumber == ENOTDIR }
    /// EISDIR: a file was wanted and a directory is there.
    public var isADirectory: Bool { errorNumber == EISDIR }
    /// The file system does not offer the call: locks on some network and user-space file systems.
    public var isUnsupported: Bool {
        [ENOLCK, ENOSYS, EINVAL, EOPNOTSUPP].contains(errorNumber)
    }
}
