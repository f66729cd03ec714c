// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Header, directory, streams, and memory last, so that a cut file loses memory first.
final class MinidumpAssembly {
    private static let version: UInt32 = 0xa793
    /// Limit on the damage entry about dropped memory, in bytes.
    private static let damageByteCountLimit: UInt64 = 512

    private let snapshot: ProcessSnapshot
    private let modules: [ModuleSnapshot]
    private let threads: [WrittenThread]
    private let mappings: [MemoryMapping]
    private let reportID: Epitaph.ID?
    private let clientID: Epitaph.ID?
    private var memory: MemoryPlan
    private var contexts: [Location] = []
    private var threadList: FileLayout.Reservation?

    private(set) var layout: FileLayout
    private(set) var damage: [Damage]

    init(snapshot: ProcessSnapshot, reportID: Epitaph.ID?, clientID: Epitaph.ID?, limit: UInt64) {
        self.snapshot = snapshot
        self.reportID = reportID
        self.clientID = clientID
        modules = ModuleListStream.ordered(snapshot.modules)
        threads = WrittenThread.list(of: snapshot)
        mappings = snapshot.mappings
        memory = MemoryPlan(threads: threads, snapshot: snapshot)
        layout = FileLayout(limit: limit)
        damage = snapshot.damage + MinidumpAssembly.damage(of: threads, knownTo: snapshot)
    }

    private var streamTypes: [StreamType] {
        var types: [StreamType] = [.systemInfo, .miscInfo, .threadList]
        if threads.contains(where: { $0.thread.name != nil }) { types.append(.threadNames) }
        if snapshot.exception != nil { types.append(.exception) }
        types += [.moduleList, .crashpadInfo]
        if !snapshot.breadcrumbs.isEmpty { types.append(.breadcrumbs) }
        if AttributesStream.hasRecords(snapshot) { types.append(.attributes) }
        if CaptureFactsStream.hasFacts(snapshot) { types.append(.captureFacts) }
        if snapshot.heap != nil { types.append(.heapSampling) }
        if !mappings.isEmpty { types.append(.memoryInfoList) }
        types += fileStreams.keys.sorted { $0.rawValue < $1.rawValue }
        if snapshot.dynamicLinker != nil { types.append(.linuxDynamicLinker) }
        if !snapshot.unloadedModules.isEmpty { types.append(.unloadedModuleList) }
        if snapshot.keptStacks != nil { types.append(.keptStacks) }
        return types + [.softErrors, .memoryList]
    }

    private var fileStreams: [StreamType: ByteSlice] {
        var streams: [StreamType: ByteSlice] = [:]
        for (type, bytes) in LinuxFileStreams.contents(of: snapshot.files) { streams[type] = bytes }
        streams[.linuxCommandLine] = snapshot.commandLine
        if !snapshot.environment.isEmpty {
            streams[.linuxEnvironment] = ByteSlice(
                snapshot.environment.flatMap { Array($0.utf8) + [0] })
        }
        return streams
    }

    func placeEverything() {
        let types = streamTypes
        let header = layout.reserve(
            byteCount: MinidumpWriter.headerByteCount
                + types.count * MinidumpWriter.directoryEntryByteCount,
            for: "header")
        var directory = ByteBuilder()
        for type in types {
            let location = place(type)
            directory.append(type.rawValue)
            directory.append(location)
        }
        memory.place(in: &layout)
        fillLists()

        var record = ByteBuilder()
        record.append(MinidumpFile.signature, Self.version, UInt32(truncatingIfNeeded: types.count))
        record.append(UInt32(truncatingIfNeeded: MinidumpWriter.headerByteCount))
        record.append(UInt32(0))  // checksum: always zero
        record.append(
            MiscInfoStream.wholeSeconds(
                snapshot.process.snapshotTime?.secondsSince1970, .down))
        record.append(UInt64(0))  // MiniDumpNormal
        record.append(directory.bytes)
        layout.fill(header, with: record)
    }

    private func place(_ type: StreamType) -> Location {
        switch type {
        case .systemInfo: return SystemInfoStream.place(snapshot, in: &layout)
        case .miscInfo: return MiscInfoStream.place(snapshot.process, in: &layout)
        case .threadList: return placeThreadList()
        case .threadNames: return ThreadNamesStream.place(threads, in: &layout)
        case .exception: return placeException()
        case .moduleList: return ModuleListStream.place(modules, in: &layout)
        case .crashpadInfo:
            return CrashpadInfoStream.place(
                snapshot, modules: modules, reportID: reportID, clientID: clientID, in: &layout)
        case .breadcrumbs: return BreadcrumbsStream.place(snapshot.breadcrumbs, in: &layout)
        case .attributes: return AttributesStream.place(snapshot, in: &layout)
        case .captureFacts: return CaptureFactsStream.place(snapshot, in: &layout)
        case .heapSampling:
            guard let heap = snapshot.heap else { return .none }
            return HeapSamplingStream.place(heap, on: snapshot.architecture, in: &layout)
        case .memoryInfoList: return MemoryInfoListStream.place(mappings, in: &layout)
        case .linuxDynamicLinker:
            guard let linker = snapshot.dynamicLinker else { return .none }
            return DynamicLinkerStream.place(linker, modules: modules, in: &layout)
        case .unloadedModuleList:
            return UnloadedModuleListStream.place(snapshot.unloadedModules, in: &layout)
        case .keptStacks:
            guard let kept = snapshot.keptStacks else { return .none }
            return KeptStacksStream.place(kept, modules, in: &layout)
        case .softErrors: return placeSoftErrors()
        case .memoryList: return placeMemoryList()
        default:
            guard let bytes = fileStreams[type] else { return .none }
            return layout.place(.slice(bytes), for: "\(type)")
        }
    }

    private func placeThreadList() -> Location {
        contexts = ThreadListStream.placeContexts(
            of: threads, on: snapshot.architecture, in: &layout)
        let reservation = layout.reserve(
            byteCount: ThreadListStream.byteCount(threadCount: threads.count), for: "threads")
        threadList = reservation
        return reservation.location
    }

    private func placeException() -> Location {
        guard let exception = snapshot.exception else { return .none }
        let context = exception.registers == nil ? nil : contexts.first
        return ExceptionStream.place(exception, context: context ?? .none, in: &layout)
    }

    private func placeSoftErrors() -> Location {
        damage += layout.damage
        let known = UInt64(SoftErrorsStream.record(of: damage).count)
        let list = UInt64(MemoryListStream.byteCount(runCount: memory.runs.count))
        let start = layout.end + known + Self.damageByteCountLimit + list
        if let dropped = memory.fit(from: start, limit: layout.limit) { damage.append(dropped) }
        return layout.place(SoftErrorsStream.record(of: damage), for: "damage")
    }

    private var memoryList: FileLayout.Reservation?

    private func placeMemoryList() -> Location {
        let reservation = layout.reserve(
            byteCount: MemoryListStream.byteCount(runCount: memory.runs.count), for: "memory")
        memoryList = reservation
        return reservation.location
    }

    private func fillLists() {
        if let memoryList {
            layout.fill(memoryList, with: MemoryListStream.record(of: memory))
        }
        if let threadList {
            layout.fill(
                threadList,
                with: ThreadListStream.record(of: threads, contexts: contexts, memory: memory))
        }
    }

    /// A minidump has no field for the completeness of a thread, so it is listed as damage.
    private static func damage(
        of threads: [WrittenThread], knownTo snapshot: ProcessSnapshot
    ) -> [Damage] {
        let known = Set(snapshot.damage.map(\.subject))
        return threads.compactMap { written in
            let thread = written.thread
            let subject = thread.damageSubject
            guard thread.completeness != .complete, let why = thread.whyIncomplete,
                !known.contains(subject)
            else { return nil }
            return Damage(stage: .capture, subject: subject, reason: why)
        }
    }
}
