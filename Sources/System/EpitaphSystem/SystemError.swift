// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

extension Epitaph {
    /// A failed system call.
    public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
        /// Name of the call's man page, for example `openat`.
        public let call: String
        /// The path or object of the call.
        public let subject: String
        /// errno(3)
        public let errorNumber: Int32

        /// The failure of `call` on `subject`.
        public init(call: String, subject: String, errorNumber: Int32) {
            self.call = call
            self.subject = subject
            self.errorNumber = errorNumber
        }

        /// The error in errno after a call returned -1.
        public static func last(_ call: String, _ subject: String) -> SystemError {
            SystemError(call: call, subject: subject, errorNumber: errno)
        }

        /// strerror(3), as part of a sentence.
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

extension Epitaph.Refusal {
    /// - Parameter lead: what could not be done, for example "events cannot be recorded".
    package init(_ error: SystemError, _ lead: String? = nil) {
        let sentence = lead.map { "\($0): \(error)" } ?? error.description
        self.init(.system, sentence, errorNumber: error.errorNumber)
    }
}

/// The value, or nil after an error that the caller reckons with: `unless(\.isNotFound, …)`.
package func unless<Value>(
    _ isExpected: (SystemError) -> Bool, _ value: @autoclosure () throws(SystemError) -> Value
) throws(SystemError) -> Value? {
    do throws(SystemError) {
        return try value()
    } catch {
        guard isExpected(error) else { throw error }
        return nil
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

/// Classification for code without libc, errno(3).
extension SystemError {
    /// ENOENT.
    public var isNotFound: Bool { errorNumber == ENOENT }
    /// EEXIST.
    public var isAlreadyThere: Bool { errorNumber == EEXIST }
    /// ELOOP from a call that does not follow symbolic links: the name is one.
    public var isSymbolicLink: Bool { errorNumber == ELOOP }
    /// ENOTDIR: a directory was expected.
    public var isNotADirectory: Bool { errorNumber == ENOTDIR }
    /// ENOTEMPTY and EEXIST from rmdir(2).
    public var isNotEmpty: Bool { errorNumber == ENOTEMPTY || errorNumber == EEXIST }
    /// EROFS.
    public var isReadOnly: Bool { errorNumber == EROFS }
    /// EACCES and EPERM.
    public var isNotPermitted: Bool { errorNumber == EACCES || errorNumber == EPERM }
    /// No space left, or the user's quota is exhausted.
    public var isFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }
    /// Too many open files in this process or system-wide.
    public var isOutOfDescriptors: Bool { errorNumber == EMFILE || errorNumber == ENFILE }
    /// Not supported, such as locks on some network and user-space file systems.
    public var isUnsupported: Bool {
        [ENOLCK, ENOSYS, EINVAL, EOPNOTSUPP].contains(errorNumber)
    }
    /// From link(2): hard links are unsupported (EPERM, EOPNOTSUPP, ENOSYS) or limited (EMLINK).
    public var hasNoSecondNames: Bool {
        [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errorNumber)
    }
}
