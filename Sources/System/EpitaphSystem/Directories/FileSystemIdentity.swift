// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc
import Synchronization

/// A user whose rights, and no others, are used to access files: for a process that may do anything
/// and works in another user's directory. What it makes there belongs to that user, and no link
/// that the user places leads to anything that the user could not reach.
///
/// It sets the file system user of one thread, setfsuid(2): the process's identity, which processes
/// it may signal and its locks do not change. docs/decisions/rights.md.
package struct FileSystemIdentity: Sendable, Equatable {
    /// 32-bit numbers, as in stat(2).
    package let userID: UInt32
    /// The user's own group by /etc/passwd. The group of a directory proves nothing: one with the
    /// set-group-ID bit passes its group on to everything made in it.
    package let groupID: UInt32

    /// The rights needed to work in `directory`: its owner's, if this process has rights over other
    /// users' files. Nil if nothing has to be done: it is the owner's own process, or an ordinary
    /// one, which the kernel restricts anyway.
    package init?(ownerOf directory: FileDescriptor) throws(SystemError) {
        let owner = try directory.status().st_uid
        guard owner != geteuid(), Self.mayPassOver() else { return nil }
        userID = owner
        groupID = AccountFile().group(of: owner) ?? Self.overflowGroup
    }

    /// The rights of a user, with the first group that /etc/passwd names for it.
    package init(userID: UInt32) {
        self.userID = userID
        groupID = AccountFile().group(of: userID) ?? Self.overflowGroup
    }

    /// The kernel's default for ids without a mapping, /proc/sys/kernel/overflowgid.
    private static let overflowGroup: UInt32 = 65_534

    /// Whether this thread may ignore who owns a file.
    private static func mayPassOver() -> Bool {
        var capabilities = epitaph_capabilities()
        // If the capabilities are unknown, root is assumed to have them.
        guard epitaph_thread_capabilities(&capabilities) == 0 else { return geteuid() == 0 }
        return capabilities.effective & epitaph_file_capabilities != 0
    }

    /// geteuid(2) is 0.
    package static var isRoot: Bool { geteuid() == 0 }

    /// Runs `body` on the calling thread with these rights, then restores the thread's own.
    ///
    /// - Throws: if the rights cannot be taken, in a user namespace without this user or under a filter
    ///   of system calls. Then `body` is not run: it never runs with more rights instead.
    package func during<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(SystemError) -> Result<Value, Failure> {
        // Inside another `during`, or on a thread that took the identity.
        guard ThreadRights.userID != userID else { return Self.result(body) }
        let own = try ThreadRights.now()
        do throws(SystemError) {
            try own.exchange(for: self)
        } catch {
            own.restore()
            throw error
        }
        defer { own.restore() }
        return Self.result(body)
    }

    private static func result<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) -> Result<Value, Failure> {
        do throws(Failure) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}

/// The calling thread's rights to files.
private struct ThreadRights {
    let userID: UInt32
    let groupID: UInt32
    let groups: [UInt32]
    let capabilities: epitaph_capabilities

    /// Any change of these rights makes the kernel reset two things that belong to the program:
    /// that the process may leave a core file, and the signal that this thread gets when its parent
    /// dies (kernel/cred.c, commit_creds). The first belongs to all threads: if two change their
    /// rights at once, one would read what the other has just changed, and restore that. So only
    /// one thread at a time does all of it, from reading to restoring.
    private static let change = Mutex(())

    private static func keepingWhatIsThePrograms(
        _ body: () throws(SystemError) -> Void
    ) throws(SystemError) {
        let result: Result<Void, SystemError> = change.withLock { _ in
            let isDumpable = epitaph_dumpable() == 1
            let parentDeathSignal = epitaph_parent_death_signal()
            defer {
                if isDumpable, epitaph_dumpable() != 1 { _ = epitaph_set_dumpable(1) }
                if parentDeathSignal > 0 { _ = epitaph_set_parent_death_signal(parentDeathSignal) }
            }
            do throws(SystemError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// setfsuid(2) with an id that no user has changes nothing and returns the current one.
    static var userID: UInt32 { epitaph_thread_set_file_user(.max) }
    static var groupID: UInt32 { epitaph_thread_set_file_group(.max) }

    static func now() throws(SystemError) -> ThreadRights {
        var capabilities = epitaph_capabilities()
        guard epitaph_thread_capabilities(&capabilities) == 0 else {
            throw .last("capget", "thread")
        }
        return ThreadRights(
            userID: userID, groupID: groupID, groups: try currentGroups(),
            capabilities: capabilities)
    }

    private static func currentGroups() throws(SystemError) -> [UInt32] {
        let count = getgroups(0, nil)
        guard count >= 0 else { throw .last("getgroups", "thread") }
        guard count > 0 else { return [] }
        var groups = [UInt32](repeating: 0, count: Int(count))
        let got = getgroups(count, &groups)
        guard got >= 0 else { throw .last("getgroups", "thread") }
        return Array(groups.prefix(Int(got)))
    }

    func exchange(for identity: FileSystemIdentity) throws(SystemError) {
        try Self.keepingWhatIsThePrograms { () throws(SystemError) in try take(identity) }
    }

    private func take(_ identity: FileSystemIdentity) throws(SystemError) {
        let subject = "the rights of user \(identity.userID)"
        if !groups.isEmpty, epitaph_thread_set_groups(0, nil) != 0 {
            throw .last("setgroups", subject)
        }
        // These two return the previous id and never an error.
        _ = epitaph_thread_set_file_group(identity.groupID)
        guard Self.groupID == identity.groupID else {
            throw SystemError(call: "setfsgid", subject: subject, errorNumber: EPERM)
        }
        _ = epitaph_thread_set_file_user(identity.userID)
        guard Self.userID == identity.userID else {
            throw SystemError(call: "setfsuid", subject: subject, errorNumber: EPERM)
        }
        try dropFileCapabilities(subject)
    }

    /// For root the kernel has dropped them by now, but not if the thread was another user with
    /// capabilities or has SECBIT_NO_SETUID_FIXUP.
    private func dropFileCapabilities(_ subject: String) throws(SystemError) {
        var left = epitaph_capabilities()
        guard epitaph_thread_capabilities(&left) == 0 else { throw .last("capget", subject) }
        guard left.effective & epitaph_file_capabilities != 0 else { return }
        left.effective &= ~epitaph_file_capabilities
        guard epitaph_thread_set_capabilities(&left) == 0 else { throw .last("capset", subject) }
    }

    /// Restores the thread's rights. If that fails, the process has given up rights in the
    /// meantime, which libc does for all threads, and they must stay given up.
    func restore() {
        // Nothing in it can throw.
        try? Self.keepingWhatIsThePrograms(takeBack)
    }

    private func takeBack() {
        _ = epitaph_thread_set_file_user(userID)
        _ = epitaph_thread_set_file_group(groupID)
        let now = try? Self.currentGroups()
        if !groups.isEmpty, now == [] {
            _ = groups.withUnsafeBufferPointer {
                epitaph_thread_set_groups($0.count, $0.baseAddress)
            }
        }
        var capabilities = capabilities
        _ = epitaph_thread_set_capabilities(&capabilities)
    }
}

extension FileDescriptor {
    /// fchown(2)
    package func give(to identity: FileSystemIdentity) throws(SystemError) {
        guard fchown(rawValue, identity.userID, identity.groupID) == 0 else {
            throw .last("fchown", path)
        }
    }
}

extension Directory {
    /// fchown(2)
    package func give(to identity: FileSystemIdentity) throws(SystemError) {
        try descriptor.give(to: identity)
    }
}

/// /etc/passwd, passwd(5). getpwuid_r(3) is not used because it loads whatever nsswitch.conf(5)
/// names and may use the network.
struct AccountFile {
    private let lines: [ArraySlice<UInt8>]

    init(path: String = "/etc/passwd") {
        let bytes = (try? FileDescriptor.openForReading(path).readAll(limit: 1 << 22)) ?? []
        lines = bytes.split(separator: UInt8(ascii: "\n"))
    }

    /// The primary group of a user; nil if the user is not in the file.
    func group(of userID: UInt32) -> UInt32? {
        for line in lines {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count >= 4, UInt32(String(decoding: fields[2], as: UTF8.self)) == userID
            else { continue }
            return UInt32(String(decoding: fields[3], as: UTF8.self))
        }
        return nil
    }
}
