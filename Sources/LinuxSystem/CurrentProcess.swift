// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a command line program needs to know and do about itself.
public enum CurrentProcess {
    /// getenv(3); nil for a variable that is not set, and for an empty one.
    public static func environmentVariable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// From now on a write to a pipe without a reader fails with EPIPE instead of ending the
    /// process, signal(7).
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Occupies the descriptors of standard input, output and error that a parent left closed, so
    /// that no file opened later gets their numbers and then what is printed to them. Writing to
    /// such a descriptor fails with EBADF.
    public static func occupyStandardDescriptors() {
        for descriptor in 0...Int32(2) where fcntl(descriptor, F_GETFD) == -1 {
            // Gets the lowest free number, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// exit(3)
    public static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }
}

extension FileDescriptor {
    /// Descriptor 1.
    public static let standardOutput = FileDescriptor(owning: 1, path: "standard output")
    /// Descriptor 2.
    public static let standardError = FileDescriptor(owning: 2, path: "standard error")

    /// isatty(3)
    public var isTerminal: Bool { isatty(rawValue) == 1 }
}

extension SystemError {
    /// EPIPE: the reader at the other end of a pipe is gone.
    public var isBrokenPipe: Bool { errorNumber == EPIPE }
}
