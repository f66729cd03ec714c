// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Out-of-memory kills in a group and its descendants: `memory.events`, cgroups(7) version 2.
package struct ControlGroupKills: Sendable, Equatable {
    /// Of the group's directory; a new group at the same path has another one.
    package let inode: UInt64
    /// `oom_kill`: processes.
    package let kills: UInt64
    /// `oom_group_kill`: whole groups; 0 before Linux 5.17.
    package let groupKills: UInt64

    package init(inode: UInt64, kills: UInt64, groupKills: UInt64) {
        self.inode = inode
        self.kills = kills
        self.groupKills = groupKills
    }
}

/// The cgroup v2 hierarchy.
package struct ControlGroups: Sendable {
    private let root: String

    package init(root: String = "/sys/fs/cgroup") {
        self.root = root
    }

    /// Nil if the group is missing, unreadable or has no memory controller, and if `path`, as in
    /// /proc/PID/cgroup, leads out of the hierarchy.
    package func kills(in path: String) -> ControlGroupKills? {
        guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return nil }
        let directory = root + (path == "/" ? "" : path)
        var status = stat()
        guard stat(directory, &status) == 0,
            let file = try? FileDescriptor.openForReading(directory + "/memory.events"),
            let bytes = try? file.readAll(limit: 4096)
        else { return nil }
        let events = KernelFigures(bytes)
        return events["oom_kill"].map {
            ControlGroupKills(
                inode: UInt64(truncatingIfNeeded: status.st_ino), kills: $0,
                groupKills: events["oom_group_kill"] ?? 0)
        }
    }
}

extension ProcFileSystem {
    /// `oom_kill` of vmstat: kills since boot; nil before Linux 4.13 or if unreadable.
    package func outOfMemoryKills() -> UInt64? {
        (try? contents(of: "vmstat", limit: 65_536)).flatMap { KernelFigures($0)["oom_kill"] }
    }
}

/// Lines such as `oom_kill 3`, as in memory.events, memory.stat and vmstat.
package struct KernelFigures: Sendable {
    private let lines: [Substring]

    package init(_ bytes: [UInt8]) {
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    package subscript(name: String) -> UInt64? {
        lines.first { $0.hasPrefix(name + " ") }.flatMap { UInt64($0.dropFirst(name.count + 1)) }
    }
}
