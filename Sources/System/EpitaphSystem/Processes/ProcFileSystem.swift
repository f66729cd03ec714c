// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

/// Information from proc(5) about this boot, this pid namespace and other processes.
package struct ProcFileSystem: Sendable {
    private let root: String

    /// - Parameter root: where proc is mounted.
    package init(root: String = "/proc") {
        self.root = root
    }

    /// getpid(2)
    package static var ownProcessID: Int32 { getpid() }

    /// How many clock ticks, in which proc gives the start of a process, make a second.
    package static var ticksPerSecond: UInt64 { UInt64(max(1, sysconf(Int32(_SC_CLK_TCK)))) }

    /// Whether a process runs, and since when.
    package enum ProcessState: Sendable, Equatable {
        /// It runs. `startTicks` is field 22 of its stat file: clock ticks from boot to its start.
        case running(startTicks: UInt64)
        /// There is no process with that id, or it is a zombie: dead but not yet waited for.
        case ended
        /// Unknown: no proc, or one that hides other users' processes (hidepid).
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

    func contents(of name: String, limit: Int) throws(SystemError) -> [UInt8] {
        try FileDescriptor.openForReading(root + "/" + name).readAll(limit: limit)
    }

    /// The inode of self/ns/pid, namespaces(7): equal for processes in the same pid namespace.
    package func pidNamespace() throws(SystemError) -> UInt64 {
        let path = root + "/self/ns/pid"
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last("stat", path) }
        return UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Whether the process with this id in this pid namespace runs, and since when.
    package func state(of processID: Int32) -> ProcessState {
        do throws(SystemError) {
            let path = "\(root)/\(processID)/stat"
            let line = try FileDescriptor.openForReading(path).readAll(limit: 4096)
            return ProcessStatLine(line)?.state ?? .unknown
        } catch {
            // A process may end between open and read: ESRCH. One hidden by hidepid looks missing
            // too, so kill(2) is tried with signal 0, which sends nothing and finds every process
            // of the namespace.
            guard error.errorNumber == ENOENT || error.errorNumber == ESRCH, processID > 0 else {
                return .unknown
            }
            return kill(processID, 0) != 0 && errno == ESRCH ? .ended : .unknown
        }
    }

    /// The names, without their directories, of the files this process has mapped; empty if
    /// unknown.
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

    /// Whether a process has a file of this name open or mapped, whatever the directory; nil if
    /// that may not be known from here, or the process is just ending.
    package func usesFile(named name: String, processID: Int32) -> Bool? {
        guard
            let maps = try? FileDescriptor.openForReading("\(root)/\(processID)/maps").readAll(
                limit: 1 << 24),
            // A process whose memory is gone has no mappings.
            !maps.isEmpty,
            let descriptors = try? Directory(opening: "\(root)/\(processID)/fd"),
            let listing = try? descriptors.list()
        else { return nil }
        let wanted = "/" + name
        let lines = maps.split(separator: UInt8(ascii: "\n"))
        if lines.contains(where: { String(decoding: $0, as: UTF8.self).hasSuffix(wanted) }) {
            return true
        }
        for entry in listing.names {
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlinkat(
                descriptors.descriptor.rawValue, entry, &target, target.count)
            guard count > 0 else { continue }
            let path = String(
                decoding: target[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
            if path.hasSuffix(wanted) { return true }
        }
        return false
    }

    /// The files this process has open, by identity; nil if unknown.
    package func ownOpenFiles() -> Set<FileIdentity>? {
        guard let directory = try? Directory(opening: root + "/self/fd"),
            let listing = try? directory.list()
        else { return nil }
        var files: Set<FileIdentity> = []
        for name in listing.names {
            var status = stat()
            // Followed on purpose: the entry is a link to the open file. One that was closed in the
            // meantime is skipped.
            if fstatat(directory.descriptor.rawValue, name, &status, 0) == 0 {
                files.insert(FileStatus(status).identity)
            }
        }
        return files
    }
}

/// The fields of /proc/PID/stat that show whether a process runs, proc_pid_stat(5).
struct ProcessStatLine {
    let stateLetter: UInt8
    let threadCount: Int64
    let startTicks: UInt64

    /// Nil for an incomplete line. The name, field 2, may contain spaces and parentheses, so fields
    /// are counted from its last `)`.
    init?(_ line: [UInt8]) {
        guard let nameEnd = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(nameEnd + 1)...].split { $0 == 0x20 || $0 == 0x0A }
        // The first of these is field 3; field 20 is num_threads, field 22 starttime.
        guard fields.count > 19, let letter = fields[0].first,
            let threads = Int64(String(decoding: fields[17], as: UTF8.self)),
            let ticks = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        stateLetter = letter
        threadCount = threads
        startTicks = ticks
    }

    var state: ProcFileSystem.ProcessState {
        // The first thread may have ended before the others: then the process is not a zombie
        // although its stat file says so.
        let isDead = [UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x")].contains(stateLetter)
        return isDead && threadCount <= 1 ? .ended : .running(startTicks: startTicks)
    }
}

/// The ELF image that the kernel maps into every process, vdso(7).
package enum VirtualLibrary {
    /// A copy of this process's own; nil if there is none or /proc cannot be read.
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
