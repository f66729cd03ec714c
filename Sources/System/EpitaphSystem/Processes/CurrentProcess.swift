// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc
import Synchronization

/// What a command line program needs to know and do about itself.
package enum CurrentProcess {
    /// getenv(3); nil for a variable that is not set, and for an empty one.
    package static func environmentVariable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// From now on a write to a pipe without a reader fails with EPIPE instead of ending the
    /// process, signal(7).
    package static func ignoreBrokenPipes() {
        var earlier = sigaction()
        sigaction(SIGPIPE, nil, &earlier)
        let wasIgnored = unsafeBitCast(earlier.__sigaction_handler.sa_handler, to: Int.self) == 1
        brokenPipesHadEffect.store(!wasIgnored, ordering: .relaxed)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether `ignoreBrokenPipes` changed something.
    private static let brokenPipesHadEffect = Atomic(false)

    /// Undoes `ignoreBrokenPipes`: an ignored signal stays ignored in the program that is executed.
    static func restoreBrokenPipes() {
        if brokenPipesHadEffect.load(ordering: .relaxed) { signal(SIGPIPE, SIG_DFL) }
    }

    /// Occupies the descriptors of standard input, output and error that a parent left closed, so
    /// that no file opened later gets their numbers and then what is printed to them. Writing to
    /// such a descriptor fails with EBADF.
    package static func occupyStandardDescriptors() {
        for descriptor in 0...Int32(2) where fcntl(descriptor, F_GETFD) == -1 {
            // Gets the lowest free number, which is this one.
            // A program that is executed finds it closed, as it would be without us.
            _ = open("/dev/null", O_RDONLY | O_CLOEXEC)
        }
    }

    /// exit(3)
    package static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }
}

extension FileDescriptor {
    /// Descriptor 1.
    package static let standardOutput = FileDescriptor(owning: 1, path: "standard output")
    /// Descriptor 2.
    package static let standardError = FileDescriptor(owning: 2, path: "standard error")

    /// isatty(3)
    package var isTerminal: Bool { isatty(rawValue) == 1 }
}

extension SystemError {
    /// EPIPE: the reader at the other end of a pipe is gone.
    package var isBrokenPipe: Bool { errorNumber == EPIPE }
}

extension CurrentProcess {
    /// The variables of the environment whose names begin like this, sorted by name. None in a
    /// program that has more rights than its user (AT_SECURE, getauxval(3)), who chose them.
    ///
    /// To be read before the program changes its environment on other threads, setenv(3).
    package static func environmentVariables(
        beginningWith prefix: String
    ) -> [(name: String, value: String)] {
        guard var entry = epitaph_trusted_environment() else { return [] }
        var found: [(name: String, value: String)] = []
        while let text = entry.pointee {
            entry += 1
            guard strncmp(text, prefix, strlen(prefix)) == 0 else { continue }
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            found.append((String(parts[0]), String(parts[1])))
        }
        return found.sorted { $0.name < $1.name }
    }
}
