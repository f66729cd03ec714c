// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Readable for their group, not writable: 2750, so that new entries get it, inode(7).
extension Directory {
    private static let sharedMode: mode_t = 0o2750
    private static let sharedFileMode: mode_t = 0o640

    /// Creates group-readable files if the directory has exactly the permissions of a shared one,
    /// also checked for directories opened from here.
    package func sharedAsItIs() throws(SystemError) -> Directory {
        let mode = try descriptor.status().st_mode & 0o7777
        return Directory(
            owning: descriptor, identity: identity, isShared: mode == Self.sharedMode)
    }

    package func isShared(withGroup groupID: UInt32) throws(SystemError) -> Bool {
        let status = try descriptor.status()
        return status.st_gid == groupID && status.st_mode & 0o7777 == Self.sharedMode
    }

    /// Lets a group read what is created in here from now on. Throws EPERM unless the process is
    /// root, or the owner and a member of the group.
    package func share(withGroup groupID: UInt32) throws(SystemError) {
        guard fchown(descriptor.rawValue, .max, groupID) == 0 else {
            throw .last("fchown", path)
        }
        // After fchown, which clears the bit, chown(2).
        guard fchmod(descriptor.rawValue, Self.sharedMode) == 0 else {
            throw .last("fchmod", path)
        }
        // For non-members of the group the kernel silently drops the bit, chmod(2).
        guard try isShared(withGroup: groupID) else {
            throw SystemError(call: "fchmod", subject: path, errorNumber: EPERM)
        }
    }

    /// Lets the group read a regular file of this user, and returns whether it may. Refuses files
    /// with other names, through which the group could read it elsewhere.
    package func share(
        _ name: String, withGroup groupID: UInt32, ownedBy userID: UInt32
    ) throws(SystemError) -> Bool {
        let file = try openForReading(name)
        let status = try file.status()
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == userID, status.st_nlink == 1
        else { return false }
        guard fchown(file.rawValue, .max, groupID) == 0,
            fchmod(file.rawValue, Self.sharedFileMode) == 0
        else { throw .last("fchown", path(of: name)) }
        return true
    }

    /// Regardless of the umask. Skips files of another group than the directory's.
    func share(_ file: FileDescriptor) throws(SystemError) {
        guard try file.status().st_gid == descriptor.status().st_gid else { return }
        try acting { () throws(SystemError) in
            guard fchmod(file.rawValue, Self.sharedFileMode) == 0 else {
                throw .last("fchmod", file.path)
            }
        }
    }
}

/// group(5). Not getgrnam_r(3), whose nsswitch.conf(5) modules may use the network.
package enum GroupFile {
    package static func id(of name: String, in path: String = "/etc/group") -> UInt32? {
        if let number = UInt32(name), number != .max { return number }
        let bytes = (try? FileDescriptor.openForReading(path).readAll(limit: 1 << 22)) ?? []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count >= 3, fields[0].elementsEqual(name.utf8) else { continue }
            return UInt32(String(decoding: fields[2], as: UTF8.self))
        }
        return nil
    }
}
