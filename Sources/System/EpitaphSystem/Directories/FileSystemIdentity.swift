// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

/// A user whose rights alone are used for files, by a privileged process in another user's
/// directory. New files belong to that user, and links placed by the user reach no further than the
/// user could. Uses setfsuid(2) of one thread: the process's identity, signal permissions and locks
/// do not change. docs/decisions/rights.md.
package struct FileSystemIdentity: Sendable, Equatable {
    package let userID: UInt32
    /// From /etc/passwd: a set-group-ID bit passes the directory's group on to all entries.
    package let groupID: UInt32

    /// Nil for the owner's own process, or an unprivileged one, which is restricted anyway.
    package init?(ownerOf directory: FileDescriptor) throws(SystemError) {
        let owner = try directory.status().st_uid
        guard owner != geteuid(), Self.mayPassOver() else { return nil }
        userID = owner
        groupID = AccountFile().group(of: owner) ?? Self.overflowGroup
    }

    package init(userID: UInt32) {
        self.userID = userID
        groupID = AccountFile().group(of: userID) ?? Self.overflowGroup
    }

    /// Default of /proc/sys/kernel/overflowgid.
    private static let overflowGroup: UInt32 = 65_534

    /// Whether this thread may bypass file ownership.
    private static func mayPassOver() -> Bool {
        var capabilities = epitaph_capabilities()
        // If unknown, assume that root may.
        guard epitaph_thread_capabilities(&capabilities) == 0 else { return geteuid() == 0 }
        return capabilities.effective & epitaph_file_capabilities != 0
    }

    package static var isRoot: Bool { geteuid() == 0 }

    /// Runs `body` on the calling thread with these rights. If they cannot be assumed (user
    /// namespace without this user, seccomp filter), this throws and `body` does not run.
    package func during<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(SystemError) -> Result<Value, Failure> {
        // Nested, or on a thread that has assumed the identity.
        guard ThreadRights.userID != userID else { return Result(catching: body) }
        let own = try ThreadRights.now()
        do throws(SystemError) {
            try own.exchange(for: self)
        } catch {
            own.restore()
            throw error
        }
        defer { own.restore() }
        return Result(catching: body)
    }
}

private struct ThreadRights {
    let userID: UInt32
    let groupID: UInt32
    let groups: [UInt32]
    let capabilities: epitaph_capabilities

    /// A change of these rights makes the kernel reset the process's dumpable flag and this
    /// thread's parent-death signal (commit_creds, kernel/cred.c). The flag is shared by all
    /// threads: a concurrent change would save and restore the reset value.
    private static let change = ForkSafeMutex(())

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
            return Result(catching: body)
        }
        try result.get()
    }

    /// setfsuid(2) with an invalid id changes nothing and returns the current one.
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
        // These return the previous id, never an error.
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

    /// Not yet dropped for a non-root user with capabilities, or with SECBIT_NO_SETUID_FIXUP.
    private func dropFileCapabilities(_ subject: String) throws(SystemError) {
        var left = epitaph_capabilities()
        guard epitaph_thread_capabilities(&left) == 0 else { throw .last("capget", subject) }
        guard left.effective & epitaph_file_capabilities != 0 else { return }
        left.effective &= ~epitaph_file_capabilities
        guard epitaph_thread_set_capabilities(&left) == 0 else { throw .last("capset", subject) }
    }

    /// A failure means that libc has dropped the process's privileges; they must stay dropped.
    func restore() {
        // `takeBack` does not throw.
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
    package func give(to identity: FileSystemIdentity) throws(SystemError) {
        guard fchown(rawValue, identity.userID, identity.groupID) == 0 else {
            throw .last("fchown", path)
        }
    }
}

extension Directory {
    package func give(to identity: FileSystemIdentity) throws(SystemError) {
        try descriptor.give(to: identity)
    }
}

/// passwd(5). Not getpwuid_r(3), whose nsswitch.conf(5) modules may use the network.
struct AccountFile {
    private let lines: [ArraySlice<UInt8>]

    init(path: String = "/etc/passwd") {
        let bytes = (try? FileDescriptor.openForReading(path).readAll(limit: 1 << 22)) ?? []
        lines = bytes.split(separator: UInt8(ascii: "\n"))
    }

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
