// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

/// proc(5): this boot, this pid namespace and other processes.
package struct ProcFileSystem: Sendable {
    private let root: String

    package init(root: String = "/proc") {
        self.root = root
    }

    package static var ownProcessID: Int32 { getpid() }

    package static var ticksPerSecond: UInt64 { UInt64(max(1, sysconf(Int32(_SC_CLK_TCK)))) }

    package enum ProcessState: Sendable, Equatable {
        /// `startTicks` is field 22 of its stat file: clock ticks from boot.
        case running(startTicks: UInt64)
        /// There is no such process, or it is a zombie.
        case ended
        /// No proc, or it hides other users' processes (hidepid).
        case unknown
    }

    /// sys/kernel/random/boot_id: different after each boot.
    package func bootID() throws(SystemError) -> Epitaph.ID {
        let path = root + "/sys/kernel/random/boot_id"
        let bytes = try FileDescriptor.openForReading(path).readAll(limit: 64)
        let text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        guard let id = Epitaph.ID(text) else {
            throw SystemError(call: "read", subject: path, errorNumber: EINVAL)
        }
        return id
    }

    package func hostName() throws(SystemError) -> String {
        let line = try contents(of: "sys/kernel/hostname", limit: 256)
        return String(decoding: line.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    func contents(of name: String, limit: Int) throws(SystemError) -> [UInt8] {
        try FileDescriptor.openForReading(root + "/" + name).readAll(limit: limit)
    }

    /// Inode of self/ns/pid, namespaces(7): equal in the same pid namespace.
    package func pidNamespace() throws(SystemError) -> UInt64 {
        let path = root + "/self/ns/pid"
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last("stat", path) }
        return UInt64(truncatingIfNeeded: status.st_ino)
    }

    package func state(of processID: Int32) -> ProcessState {
        do throws(SystemError) {
            let path = "\(root)/\(processID)/stat"
            let line = try FileDescriptor.openForReading(path).readAll(limit: 4096)
            return ProcessStatLine(line)?.state ?? .unknown
        } catch {
            // ESRCH: it ended between open and read. hidepid makes processes look missing, but
            // kill(2) with signal 0 finds them.
            guard error.errorNumber == ENOENT || error.errorNumber == ESRCH, processID > 0 else {
                return .unknown
            }
            return kill(processID, 0) != 0 && errno == ESRCH ? .ended : .unknown
        }
    }

    package func ownMappedNames() -> Set<String> {
        guard
            let maps = try? FileDescriptor.openForReading(root + "/self/maps").readAll(
                limit: 1 << 24)
        else { return [] }
        return Set(
            maps.split(separator: UInt8(ascii: "\n")).compactMap { line in
                guard let slash = line.lastIndex(of: UInt8(ascii: "/")) else { return nil }
                return String(decoding: line[line.index(after: slash)...], as: UTF8.self)
            })
    }

    /// Whether a process has a file of this name open or mapped; nil if unknown or exiting.
    package func usesFile(named name: String, processID: Int32) -> Bool? {
        guard
            let maps = try? FileDescriptor.openForReading("\(root)/\(processID)/maps").readAll(
                limit: 1 << 24),
            // An exiting process has no mappings.
            !maps.isEmpty,
            let openPaths = openPaths(processID)
        else { return nil }
        let wanted = "/" + name
        let lines = maps.split(separator: UInt8(ascii: "\n"))
        return lines.contains { String(decoding: $0, as: UTF8.self).hasSuffix(wanted) }
            || openPaths.contains { $0.hasSuffix(wanted) }
    }

    /// What the links to a process's open files say; nil if they cannot be listed.
    package func openPaths(_ processID: Int32) -> Set<String>? {
        guard let directory = try? Directory(opening: "\(root)/\(processID)/fd"),
            let names = try? directory.list().names
        else { return nil }
        return Set(names.compactMap { try? directory.descriptor.linkTarget($0) })
    }

    package func ownOpenFiles() -> Set<FileIdentity>? {
        guard let directory = try? Directory(opening: root + "/self/fd"),
            let listing = try? directory.list()
        else { return nil }
        var files: Set<FileIdentity> = []
        for name in listing.names {
            var status = stat()
            // Follows the link to the open file; skips those closed meanwhile.
            if fstatat(directory.descriptor.rawValue, name, &status, 0) == 0 {
                files.insert(FileStatus(status).identity)
            }
        }
        return files
    }
}

package struct ProcessStatLine {
    let stateLetter: UInt8
    let threadCount: Int64
    package let startTicks: UInt64

    /// Field 2, the name, may contain spaces and parentheses, so count from the last `)`.
    package init?(_ line: [UInt8]) {
        guard let nameEnd = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(nameEnd + 1)...].split { $0 == 0x20 || $0 == 0x0A }
        // fields[0] is field 3; field 20 is num_threads, field 22 starttime.
        guard fields.count > 19, let letter = fields[0].first,
            let threads = Int64(String(decoding: fields[17], as: UTF8.self)),
            let ticks = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        stateLetter = letter
        threadCount = threads
        startTicks = ticks
    }

    var state: ProcFileSystem.ProcessState {
        // A zombie leader with live threads is a running process.
        let isDead = [UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x")].contains(stateLetter)
        return isDead && threadCount <= 1 ? .ended : .running(startTicks: startTicks)
    }
}

/// The vDSO, vdso(7).
package enum VirtualLibrary {
    package static func image() -> ByteSlice? {
        guard let file = try? FileDescriptor.openForReading("/proc/self/maps"),
            let maps = try? file.readAll()
        else { return nil }
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasSuffix(" [vdso]") }) else { return nil }
        let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap {
            UInt($0, radix: 16)
        }
        guard ends.count == 2, ends[0] < ends[1],
            let start = UnsafeRawPointer(bitPattern: ends[0])
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(ends[1] - ends[0]))
        return ByteSlice(Array(bytes))
    }
}
