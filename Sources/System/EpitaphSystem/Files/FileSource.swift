// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Where a file's bytes are read from: a descriptor that stays open, or that of a path, which is
/// closed when many others have been opened since, and opened again when it is needed.
///
/// A report may lead to thousands of files, and the process that reads it needs descriptors of its
/// own.
final class FileSource: Sendable {
    private struct State {
        var descriptor: FileDescriptor?
    }

    private let state: Mutex<State>
    /// Which file it is and how to open it again; nil for one that stays open.
    private let reopening: Reopening?

    private struct Reopening {
        let path: String
        /// The system whose path it is; nil for this one.
        let root: RootDirectory?
        let identity: FileIdentity
    }

    /// How many descriptors of paths are kept open.
    private static let openLimit = 16
    private static let opened = Mutex<[FileSource]>([])

    /// The file stays open as long as this object lives.
    init(_ descriptor: FileDescriptor) {
        state = Mutex(State(descriptor: descriptor))
        reopening = nil
    }

    /// For a file that `ForeignFile` has opened at `path`, of the system below `root` if there is one.
    init(
        _ descriptor: FileDescriptor, foreign path: String, in root: RootDirectory? = nil
    ) throws(SystemError) {
        state = Mutex(State(descriptor: descriptor))
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
