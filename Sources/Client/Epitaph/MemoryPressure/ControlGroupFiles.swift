// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Memory figures from the files of this process's control group and the kernel, cgroups(7). In
/// version 1 the memory controller has its own hierarchy. Limits of parent groups apply, too.
package struct ControlGroupFiles: Sendable {
    enum Version: Sendable {
        case one
        case two
    }

    private let processFiles: String
    private let groups: [String]
    private let version: Version?

    /// - Parameters:
    ///   - processFiles: the mount point of proc(5).
    ///   - hierarchies: the mount point of control groups.
    package init(processFiles: String = "/proc", hierarchies: String = "/sys/fs/cgroup") {
        self.processFiles = processFiles
        let lines = Self.text(processFiles + "/self/cgroup")?.split(separator: "\n") ?? []
        var found: (version: Version, groups: [String])?
        for line in lines {
            let fields = line.split(
                separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let controllers = fields[1].split(separator: ",")
            if controllers.contains("memory") {
                let groups = Self.groups("\(hierarchies)/memory", fields[2])
                found = (
                    .one, groups.filter { Self.number($0 + "/memory.usage_in_bytes") != nil }
                )
                break
            }
            guard fields[0] == "0" else { continue }
            // The root group has no such file.
            let groups = Self.groups(hierarchies, fields[2]).filter {
                Self.text($0 + "/memory.current") != nil
            }
            if !groups.isEmpty { found = (.two, groups) }
        }
        version = found?.version
        groups = found?.groups ?? []
    }

    /// Group and parents. In a container the mount point may be the group, so some are missing.
    private static func groups(_ root: String, _ path: Substring) -> [String] {
        let parts = path.split(separator: "/").filter { $0 != ".." }
        return (0...parts.count).reversed().map { count in
            ([root] + parts.prefix(count).map(String.init)).joined(separator: "/")
        }
    }

    package func reading() -> MemoryReading {
        var reading = MemoryReading()
        let status = Self.text(processFiles + "/self/status") ?? ""
        reading.residentBytes = Self.kibibytes("VmRSS:", in: status)
        addMachine(to: &reading)
        reading.stallPercent = pressurePaths.lazy.compactMap { Self.stall($0) }.first
        reading.group = groups.compactMap(group).max {
            Double($0.usedBytes) / Double($0.limitBytes)
                < Double($1.usedBytes) / Double($1.limitBytes)
        }
        addEvents(to: &reading)
        return reading
    }

    func use(since last: MemoryReading) -> MemoryReading {
        var reading = last
        if let path = last.group?.path {
            reading.group = group(path)
        } else {
            addMachine(to: &reading)
        }
        return reading
    }

    private func addMachine(to reading: inout MemoryReading) {
        let machine = Self.text(processFiles + "/meminfo") ?? ""
        reading.availableBytes = Self.kibibytes("MemAvailable:", in: machine)
        reading.totalBytes = Self.kibibytes("MemTotal:", in: machine)
    }

    var pressurePaths: [String] {
        let own = version == .two ? groups.first.map { [$0 + "/memory.pressure"] } ?? [] : []
        return own + [processFiles + "/pressure/memory"]
    }

    /// Files that change when the group reaches its limits.
    var eventPaths: [String] {
        guard version == .two, let own = groups.first else { return [] }
        return Self.text(own + "/memory.events") == nil ? [] : [own + "/memory.events"]
    }

    private func group(_ path: String) -> MemoryReading.Group? {
        let names =
            version == .two
            ? ("memory.current", ["memory.max", "memory.high"])
            : ("memory.usage_in_bytes", ["memory.limit_in_bytes"])
        guard let used = Self.number("\(path)/\(names.0)") else { return nil }
        // "max" is not a number. Version 1 uses the largest multiple of a page instead.
        let limits = names.1.compactMap { Self.number("\(path)/\($0)") }
            .filter { $0 > 0 && $0 < 1 << 62 }
        guard let limit = limits.min() else { return nil }
        let kept = used - min(droppableBytes(path), used)
        return .init(path: path, usedBytes: kept, limitBytes: limit)
    }

    /// Pages of files, which the kernel gives back before it kills, as in MemAvailable
    /// (si_mem_available, mm/page_alloc.c). Pages of tmpfs are not among them.
    private func droppableBytes(_ group: String) -> UInt64 {
        let statistics = Self.figures(group + "/memory.stat")
        let prefix = version == .two ? "" : "total_"
        return ["inactive_file", "active_file"].reduce(0) { sum, name in
            sum &+ (statistics?[prefix + name].map { min($0, 1 << 50) } ?? 0)
        }
    }

    private func addEvents(to reading: inout MemoryReading) {
        guard let own = groups.first else { return }
        switch version {
        case .two:
            guard let events = Self.figures(own + "/memory.events") else { return }
            let high = events["high"]
            let most = events["max"]
            reading.limitHits = high.flatMap { high in most.map { high &+ $0 } }
            reading.kills = events["oom_kill"]
        case .one:
            reading.limitHits = Self.number(own + "/memory.failcnt")
            reading.kills = Self.figures(own + "/memory.oom_control")?["oom_kill"]
        case nil: break
        }
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        try? FileDescriptor.openForReading(path).readAll(limit: 1 << 16)
    }

    private static func text(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func figures(_ path: String) -> KernelFigures? {
        bytes(path).map { KernelFigures($0) }
    }

    private static func number(_ path: String) -> UInt64? {
        text(path).flatMap { UInt64($0.filter { !$0.isWhitespace }) }
    }

    /// Finds a line such as `VmRSS:     1234 kB`.
    private static func kibibytes(_ name: String, in text: String) -> UInt64? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let words = line?.split { $0 == " " || $0 == "\t" } ?? []
        guard words.count >= 2, let count = UInt64(words[1]), count < 1 << 50 else { return nil }
        return count << 10
    }

    /// Finds `some avg10=0.12 avg60=…`, proc_pressure(5).
    private static func stall(_ path: String) -> Double? {
        let line = text(path)?.split(separator: "\n").first { $0.hasPrefix("some ") }
        let field = line?.split(separator: " ").first { $0.hasPrefix("avg10=") }
        guard let value = field.flatMap({ Double($0.dropFirst("avg10=".count)) }),
            value.isFinite, value >= 0
        else { return nil }
        return value
    }
}
