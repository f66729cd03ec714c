// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphValues
import Glibc
import Synchronization

package enum CurrentProcess {
    package static func environmentVariable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Makes writes to a broken pipe fail with EPIPE instead of killing the process, signal(7).
    package static func ignoreBrokenPipes() {
        var earlier = sigaction()
        sigaction(SIGPIPE, nil, &earlier)
        let wasIgnored = unsafeBitCast(earlier.__sigaction_handler.sa_handler, to: Int.self) == 1
        brokenPipesHadEffect.store(!wasIgnored, ordering: .relaxed)
        signal(SIGPIPE, SIG_IGN)
    }

    private static let brokenPipesHadEffect = Atomic(false)

    static func restoreBrokenPipes() {
        if brokenPipesHadEffect.load(ordering: .relaxed) { signal(SIGPIPE, SIG_DFL) }
    }

    /// Occupies standard descriptors that the parent left closed: a file opened later must not get
    /// their numbers and our output. Writing to them fails with EBADF.
    package static func occupyStandardDescriptors() {
        for descriptor in 0...Int32(2) where fcntl(descriptor, F_GETFD) == -1 {
            // open(2) returns this lowest free number. Executed programs find it closed as before.
            _ = open("/dev/null", O_RDONLY | O_CLOEXEC)
        }
    }

    package static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }
}

extension FileDescriptor {
    package static let standardOutput = FileDescriptor(owning: 1, path: "standard output")
    package static let standardError = FileDescriptor(owning: 2, path: "standard error")

    package var isTerminal: Bool { isatty(rawValue) == 1 }
}

extension SystemError {
    /// EPIPE: the pipe has no reader.
    package var isBrokenPipe: Bool { errorNumber == EPIPE }
}

extension CurrentProcess {
    /// Sorted by name. None in an AT_SECURE program (getauxval(3)), whose user chose them. Read
    /// them before other threads call setenv(3).
    package static func environmentVariables(
        beginningWith prefix: String
    ) -> [(name: String, value: String)] {
        guard var entry = epitaph_trusted_environment() else { return [] }
        var found: [(name: String, value: String)] = []
        while let text = entry.pointee {
            entry += 1
            guard strncmp(text, prefix, strlen(prefix)) == 0,
                let (name, value) = String(cString: text).halves(at: "=")
            else { continue }
            found.append((String(name), String(value)))
        }
        return found.sorted { $0.name < $1.name }
    }
}
