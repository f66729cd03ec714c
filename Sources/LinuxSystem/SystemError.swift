// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A system call that failed: which one, on what, and the kernel's reason.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Name of the call's man page, for example `openat`.
    public let call: String
    /// The path or thing it was applied to.
    public let subject: String
    /// errno(3)
    public let errorNumber: Int32

    public init(call: String, subject: String, errorNumber: Int32) {
        self.call = call
        self.subject = subject
        self.errorNumber = errorNumber
    }

    /// The error left in errno by the call that just returned -1.
    public static func last(_ call: String, _ subject: String) -> SystemError {
        SystemError(call: call, subject: subject, errorNumber: errno)
    }

    /// The kernel's reason as a sentence part, strerror(3).
    public var reason: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(errorNumber, &buffer, buffer.count) == 0 else {
            return "error \(errorNumber)"
        }
        return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    public var description: String {
        "\(subject): \(reason) (\(call))"
    }
}

/// Runs a call that answers -1 and sets errno until a signal no longer interrupts it.
@inline(__always)
func retryingInterrupts<Value: SignedInteger>(_ call: () -> Value) -> Value {
    while true {
        let value = call()
        guard value == -1, errno == EINTR else { return value }
    }
}
