// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A descriptor that stays open, or one that is closed after many others were opened and reopened
/// by path: a report may refer to thousands of files, and the process needs descriptors for itself.
final class FileSource: Sendable {
    private struct State {
        var descriptor: FileDescriptor?
    }

    private let state: ForkSafeMutex<State>
    /// How to reopen the file; nil if it stays open.
    private let reopening: Reopening?

    private struct Reopening {
        let path: String
        let root: RootDirectory?
        let identity: FileIdentity
    }

    /// Limit of open descriptors that can be reopened.
    private static let openLimit = 16
    private static let opened = ForkSafeMutex<[FileSource]>([])

    init(_ descriptor: FileDescriptor) {
        state = ForkSafeMutex(State(descriptor: descriptor))
        reopening = nil
    }

    init(
        _ descriptor: FileDescriptor, foreign path: String, in root: RootDirectory? = nil
    ) throws(SystemError) {
        state = ForkSafeMutex(State(descriptor: descriptor))
        reopening = Reopening(
            path: path, root: root, identity: try descriptor.fileStatus().identity)
        remember()
    }

    deinit {
        guard reopening != nil else { return }
        Self.opened.withLock { sources in sources.removeAll { $0 === self } }
    }

    /// - Throws: ESTALE if another file is at the path now.
    func descriptor() throws(SystemError) -> FileDescriptor {
        if let open = state.withLock({ $0.descriptor }) { return open }
        guard let reopening else {
            throw SystemError(call: "open", subject: "", errorNumber: EBADF)
        }
        let path = reopening.path
        let again: FileDescriptor
        if let root = reopening.root {
            again = try ForeignFile.open(path, in: root)
        } else {
            again = try ForeignFile.open(path)
        }
        guard try again.fileStatus().identity == reopening.identity else {
            throw SystemError(call: "open", subject: path, errorNumber: ESTALE)
        }
        state.withLock { $0.descriptor = again }
        remember()
        return again
    }

    private func remember() {
        let surplus = Self.opened.withLock { sources -> FileSource? in
            sources.append(self)
            return sources.count > Self.openLimit ? sources.removeFirst() : nil
        }
        surplus?.state.withLock { $0.descriptor = nil }
    }
}
