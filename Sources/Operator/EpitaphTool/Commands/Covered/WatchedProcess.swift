// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Glibc

struct WatchedProcess {
    let id: Int32
    let parentID: Int32
    let name: String
    /// Real, effective, saved and file system user, proc_pid_status(5).
    let users: [UInt32]
    /// Signals with a handler.
    let caughtSignals: Set<Int32>

    /// Nil for one that has ended, and for kernel threads, which have no memory of their own.
    init?(_ id: Int32) {
        guard let bytes = try? Self.contents("\(id)/status") else { return nil }
        let status = ProcessStatus(bytes)
        guard status["VmSize"] != nil, let parent = status.numbers("PPid", as: Int32.self).first
        else {
            return nil
        }
        self.id = id
        parentID = parent
        name = (status["Name"] ?? "").printable()
        users = status.numbers("Uid", as: UInt32.self)
        let caught = status["SigCgt"].flatMap { UInt64($0, radix: 16) } ?? 0
        caughtSignals = Set((1...64).filter { caught & 1 << ($0 - 1) != 0 })
    }

    /// The user whose rights open files.
    var fileUser: UInt32? { users.last }

    static func all() throws(SystemError) -> [WatchedProcess] {
        try Directory(opening: "/proc").list().names.compactMap { Int32($0) }.sorted()
            .compactMap { WatchedProcess($0) }
    }

    /// Whether a control group of it has this name, cgroups(7), as a service of systemd has.
    func isInGroup(named group: String) -> Bool {
        guard let bytes = try? Self.contents("\(id)/cgroup") else { return false }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .contains { $0.split(separator: "/").contains { $0 == group } }
    }

    func mappedPaths() throws(SystemError) -> Set<String> {
        var paths: Set<String> = []
        for line in try Self.contents("\(id)/maps").split(separator: UInt8(ascii: "\n")) {
            guard let slash = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
            paths.insert(String(decoding: line[slash...], as: UTF8.self))
        }
        return paths
    }

    func openPaths() -> Set<String> {
        ProcFileSystem().openPaths(id) ?? []
    }

    func variable(_ name: String) -> String? {
        guard let bytes = try? Self.contents("\(id)/environ") else { return nil }
        let prefix = Array("\(name)=".utf8)
        guard let variable = bytes.split(separator: 0).first(where: { $0.starts(with: prefix) })
        else { return nil }
        return String(decoding: variable.dropFirst(prefix.count), as: UTF8.self)
    }

    /// AT_SECURE, getauxval(3): the dynamic linker ignores LD_PRELOAD.
    var isSecure: Bool {
        let word = MemoryLayout<UInt>.size
        guard let bytes = try? Self.contents("\(id)/auxv") else { return false }
        return bytes.withUnsafeBytes { auxiliary in
            stride(from: 0, to: auxiliary.count - 2 * word + 1, by: 2 * word).contains {
                auxiliary.loadUnaligned(fromByteOffset: $0, as: UInt.self) == UInt(AT_SECURE)
                    && auxiliary.loadUnaligned(fromByteOffset: $0 + word, as: UInt.self) != 0
            }
        }
    }

    /// The path of its program; nil if another file is there, as with other mounts.
    var executable: String? {
        let link = "/proc/\(id)/exe"
        guard let path = try? realPath(of: link) else { return nil }
        var its = stat()
        var ours = stat()
        guard stat(link, &its) == 0, stat(path, &ours) == 0 else { return nil }
        return its.st_dev == ours.st_dev && its.st_ino == ours.st_ino ? path : nil
    }

    func owner(of directory: String) -> UInt32? {
        var status = stat()
        return stat("/proc/\(id)/root\(directory)", &status) == 0 ? status.st_uid : nil
    }

    private static func contents(_ name: String) throws(SystemError) -> [UInt8] {
        try FileDescriptor.openForReading("/proc/\(name)").readAll(limit: 1 << 26)
    }
}
