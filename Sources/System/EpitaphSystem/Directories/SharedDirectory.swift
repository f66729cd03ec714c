// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Directories whose group may read what is in them and change nothing: 2750, so that what is made in
/// them belongs to the group, whichever groups its maker has, inode(7).
extension Directory {
    private static let sharedMode: mode_t = 0o2750
    private static let sharedFileMode: mode_t = 0o640

    /// The same directory, in which files are made for its group as well if its permissions are
    /// exactly those of a shared one. Directories opened from here are looked at in the same way, so
    /// that nothing is ever readable for another group than the one that was chosen.
    package func sharedAsItIs() throws(SystemError) -> Directory {
        let mode = try descriptor.status().st_mode & 0o7777
        return Directory(
            owning: descriptor, identity: identity, isShared: mode == Self.sharedMode)
    }

    /// Whether the group may read what is in here.
    package func isShared(withGroup groupID: UInt32) throws(SystemError) -> Bool {
        let status = try descriptor.status()
        return status.st_gid == groupID && status.st_mode & 0o7777 == Self.sharedMode
    }

    /// Lets a group read what is made in here from now on.
    ///
    /// - Throws: EPERM unless the process is root, or the owner and a member of the group.
    package func share(withGroup groupID: UInt32) throws(SystemError) {
        guard fchown(descriptor.rawValue, .max, groupID) == 0 else {
            throw .last("fchown", path)
        }
        // After the change of the group, which clears the bit, chown(2).
        guard fchmod(descriptor.rawValue, Self.sharedMode) == 0 else {
            throw .last("fchmod", path)
        }
        // Without the group's membership the kernel takes the bit away and says nothing, chmod(2).
        guard try isShared(withGroup: groupID) else {
            throw SystemError(call: "fchmod", subject: path, errorNumber: EPERM)
        }
    }

    /// Lets the group read a regular file that is in here, if it belongs to this user and has no
    /// other name: through a second name it might be the group's to read anywhere.
    ///
    /// - Returns: whether it may be read now.
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

    /// Whatever the process's umask says. What has not got the directory's group is left as it is.
    func share(_ file: FileDescriptor) throws(SystemError) {
        guard try file.status().st_gid == descriptor.status().st_gid else { return }
        try acting { () throws(SystemError) in
            guard fchmod(file.rawValue, Self.sharedFileMode) == 0 else {
                throw .last("fchmod", file.path)
            }
        }
    }
}

/// /etc/group, group(5). getgrnam_r(3) is not used because it loads whatever nsswitch.conf(5) names
/// and may use the network.
package enum GroupFile {
    /// The id of a group by its name, or by its number; nil if there is none.
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
