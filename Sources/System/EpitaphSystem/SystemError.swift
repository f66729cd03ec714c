// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

extension Epitaph {
    /// A system call that failed: which one, on what, and the kernel's reason.
    public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
        /// Name of the call's man page, for example `openat`.
        public let call: String
        /// The path or object that the call was applied to.
        public let subject: String
        /// errno(3)
        public let errorNumber: Int32

        /// The failure of `call` on `subject` with the errno(3) that it set.
        public init(call: String, subject: String, errorNumber: Int32) {
            self.call = call
            self.subject = subject
            self.errorNumber = errorNumber
        }

        /// The error left in errno by the call that just returned -1.
        public static func last(_ call: String, _ subject: String) -> SystemError {
            SystemError(call: call, subject: subject, errorNumber: errno)
        }

        /// The kernel's reason as part of a sentence, strerror(3).
        public var reason: String {
            var buffer = [CChar](repeating: 0, count: 256)
            guard strerror_r(errorNumber, &buffer, buffer.count) == 0 else {
                return "error \(errorNumber)"
            }
            return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        }

        /// `<subject>: <reason> (<call>)`
        public var description: String {
            "\(subject): \(reason) (\(call))"
        }
    }
}

/// Repeats a call that returns -1 and sets errno until it is not interrupted by a signal.
@inline(__always)
func retryingInterrupts<Value: SignedInteger>(_ call: () -> Value) -> Value {
    while true {
        let value = call()
        guard value == -1, errno == EINTR else { return value }
    }
}

/// What code without libc may need to know about an error, errno(3).
extension SystemError {
    /// ENOENT: nothing has that name.
    public var isNotFound: Bool { errorNumber == ENOENT }
    /// EEXIST: something already has that name.
    public var isAlreadyThere: Bool { errorNumber == EEXIST }
    /// ELOOP from a call that does not follow symbolic links: the name is one.
    public var isSymbolicLink: Bool { errorNumber == ELOOP }
    /// ENOTDIR: a directory was expected and something else is there.
    public var isNotADirectory: Bool { errorNumber == ENOTDIR }
    /// ENOTEMPTY and EEXIST from rmdir(2): the directory is not empty.
    public var isNotEmpty: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }
    /// EROFS: the file system can only be read.
    public var isReadOnly: Bool { errorNumber == EROFS }
    /// EACCES and EPERM: this user has no permission.
    public var isNotPermitted: Bool { errorNumber == EACCES || errorNumber == EPERM }
    /// ENOSPC and EDQUOT: there is no room left, for all or for this user.
    public var isFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }
    /// EMFILE and ENFILE: too many files are open, in this process or in all.
    public var isOutOfDescriptors: Bool { errorNumber == EMFILE || errorNumber == ENFILE }
    /// The file system does not support the call: locks on some network and user-space file
    /// systems.
    public var isUnsupported: Bool {
        [ENOLCK, ENOSYS, EINVAL, EOPNOTSUPP].contains(errorNumber)
    }
    /// EPERM, EOPNOTSUPP and ENOSYS from link(2): the file system has no hard links. EMLINK: it
    /// limits them.
    public var hasNoSecondNames: Bool {
        [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errorNumber)
    }
}
