// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphValues
import Glibc

/// The /proc directory of a process whose core is being written. It is opened once: files in it
/// fail once their process is gone, so that a recycled process id is never read.
struct DyingProcess {
    private let base: String
    private let directory: FileDescriptor
    private let status: ProcessStatus

    private static let smallFile = 1 << 16
    private static let mapsLimit = 32 << 20

    /// Nil if the process is gone or not dumping core, so that its id was recycled.
    init?(_ processID: Int32) {
        guard
            let directory = try? FileDescriptor.open(
                "/proc/\(processID)", flags: O_RDONLY | O_DIRECTORY, mode: 0)
        else { return nil }
        self.directory = directory
        base = "/proc/self/fd/\(directory.rawValue)"
        guard let bytes = Self.contents(base + "/status", limit: Self.smallFile) else { return nil }
        status = ProcessStatus(bytes)
        // Since Linux 4.15, proc_pid_status(5).
        guard status["CoreDumping"] == "1" else { return nil }
    }

    private static func contents(_ path: String, limit: Int) -> [UInt8]? {
        try? FileDescriptor.openForReading(path).readAll(limit: limit)
    }

    /// The process's id in its own pid namespace: the last of `NSpid`.
    var ownProcessID: Int32? { status.numbers("NSpid", as: Int32.self).last }

    /// Field 22 of its stat file.
    var startTicks: UInt64? {
        Self.contents(base + "/stat", limit: 4_096).flatMap { ProcessStatLine($0)?.startTicks }
    }

    var realUserID: UInt32? { status.numbers("Uid", as: UInt32.self).first }

    /// Whether it runs this program: a crash of the handler must not be handled.
    var isOwnProgram: Bool {
        var theirs = stat()
        var own = stat()
        guard stat(base + "/exe", &theirs) == 0, stat("/proc/self/exe", &own) == 0 else {
            return false
        }
        return theirs.st_dev == own.st_dev && theirs.st_ino == own.st_ino
    }

    var program: String? { (try? directory.linkTarget("exe"))?.withoutDeletedMark }

    /// Callers read only the ranges that the kernel writes into the core.
    func memory() -> FileDescriptor? {
        try? FileDescriptor.openForReading(base + "/mem")
    }

    func describe(_ snapshot: inout ProcessSnapshot) {
        snapshot.files.status = ByteSlice(status.bytes)
        if let maps = mapsFile { snapshot.files.maps = maps }
        snapshot.files.limits = Self.contents(base + "/limits", limit: Self.smallFile)
            .map { ByteSlice($0) }
        let names = threadNames(snapshot.threads.count)
        for index in snapshot.threads.indices {
            snapshot.threads[index].name = names[snapshot.threads[index].id]
        }
        if let ticks = startTicks { snapshot.process.startTime = Self.time(ofTicks: ticks) }
    }

    var mapsFile: ByteSlice? {
        Self.contents(base + "/maps", limit: Self.mapsLimit).map { ByteSlice($0) }
    }

    private static func time(ofTicks ticks: UInt64) -> Timestamp? {
        guard let stat = contents("/proc/stat", limit: 4 << 20) else { return nil }
        let line = String(decoding: stat, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("btime ") }
        guard let boot = line.flatMap({ Double($0.dropFirst(6)) }) else { return nil }
        return Timestamp(
            secondsSince1970: boot + Double(ticks) / Double(ProcFileSystem.ticksPerSecond))
    }

    private func threadNames(_ count: Int) -> [UInt64: String] {
        guard let listing = try? Directory(opening: base + "/task").list(limit: count * 2 + 16)
        else { return [:] }
        var names: [UInt64: String] = [:]
        for entry in listing.names {
            let thread = base + "/task/" + entry
            guard let name = Self.contents(thread + "/comm", limit: 64),
                let status = Self.contents(thread + "/status", limit: Self.smallFile),
                let id = ProcessStatus(status).numbers("NSpid", as: UInt64.self).last
            else { continue }
            names[id] = String(decoding: name.prefix { $0 != 0x0A }, as: UTF8.self)
        }
        return names
    }
}

extension DyingProcess {
    /// The dump that the process wrote of this crash before the signal killed it; nil if there is
    /// none. docs/decisions/machines.md
    ///
    /// Epitaph keeps the beginning of its dump file mapped until the process is dead, so it is in
    /// the memory map: sealed under the name of a waiting dump, perhaps deleted since, with this
    /// process and this signal. A file that is still armed tells of an earlier crash that was
    /// survived.
    func ownDump(signal: Int32) -> String? {
        guard let maps = mapsFile else { return nil }
        var sealed: String?
        for mapping in MemoryMapping.parse(maps).mappings {
            guard let name = DumpName(mapping.path.withoutDeletedMark.lastPathComponent),
                let dump = contents(of: mapping), isOwn(dump.snapshot.launch)
            else { continue }
            guard case .crash(let snapshot) = dump.contents else { return nil }
            if name.stage != .locked, snapshot.exception?.signal == signal { sealed = name.stem }
        }
        return sealed
    }

    /// The mapped file itself, whatever is at its path now: proc(5), /proc/PID/map_files.
    private func contents(of mapping: MemoryMapping) -> IntermediateDump? {
        let range = mapping.addressRange
        let name =
            String(range.lowerBound, radix: 16) + "-" + String(range.upperBound, radix: 16)
        guard let file = try? ForeignFile.open(base + "/map_files/" + name),
            let bytes = try? FileBytes.contents(of: file)
        else { return nil }
        return try? IntermediateDump(bytes)
    }

    private func isOwn(_ launch: LaunchRecord?) -> Bool {
        launch?.processID == ownProcessID && launch?.startTicks == startTicks
            && launch?.processID != nil && launch?.startTicks != nil
    }
}
