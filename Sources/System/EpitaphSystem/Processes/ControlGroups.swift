// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How often the kernel ended processes of a control group, and of the groups in it, for want of
/// memory: `memory.events` of cgroups(7), version 2.
package struct ControlGroupKills: Sendable, Equatable {
    /// Of the group's directory: another group at the same path has another one.
    package let inode: UInt64
    /// `oom_kill`: processes.
    package let kills: UInt64
    /// `oom_group_kill`: whole groups; 0 where the kernel does not count them (before Linux 5.17).
    package let groupKills: UInt64

    /// These counts.
    package init(inode: UInt64, kills: UInt64, groupKills: UInt64) {
        self.inode = inode
        self.kills = kills
        self.groupKills = groupKills
    }
}

/// The hierarchy of control groups of version 2.
package struct ControlGroups: Sendable {
    private let root: String

    /// - Parameter root: where it is mounted.
    package init(root: String = "/sys/fs/cgroup") {
        self.root = root
    }

    /// Nil where there is no such group, it has no memory controller, or it may not be read.
    ///
    /// - Parameter path: below the root, beginning with a slash, as in /proc/PID/cgroup. One that
    ///   leads out of the hierarchy has no counts.
    package func kills(in path: String) -> ControlGroupKills? {
        guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return nil }
        let directory = root + (path == "/" ? "" : path)
        var status = stat()
        guard stat(directory, &status) == 0,
            let file = try? FileDescriptor.openForReading(directory + "/memory.events"),
            let bytes = try? file.readAll(limit: 4096)
        else { return nil }
        var kills: UInt64?
        var groupKills: UInt64 = 0
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let count = UInt64(words[1]) else { continue }
            if words[0] == "oom_kill" { kills = count }
            if words[0] == "oom_group_kill" { groupKills = count }
        }
        return kills.map {
            ControlGroupKills(
                inode: UInt64(truncatingIfNeeded: status.st_ino), kills: $0, groupKills: groupKills)
        }
    }
}

extension ProcFileSystem {
    /// `oom_kill` of vmstat: how many processes of the machine the kernel has ended for want of
    /// memory since it started; nil before Linux 4.13 and where it cannot be read.
    package func outOfMemoryKills() -> UInt64? {
        guard let bytes = try? contents(of: "vmstat", limit: 65_536) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("oom_kill ") {
            return UInt64(line.dropFirst("oom_kill ".count))
        }
        return nil
    }
}
