// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Makes a snapshot from a tree. Properties of the wrong size or kind are left out and recorded.
enum SnapshotDecoder {
    static func decode(_ tree: DumpTree, _ architecture: Architecture) -> ProcessSnapshot {
        let root = tree.root
        var fields = FieldReader()
        var snapshot = ProcessSnapshot(architecture: architecture)
        snapshot.launch = fields.map(.launchRecord, in: root).map { fields.launchRecord($0) }
        snapshot.request = fields.request(root)
        let first = fields.map(.firstRecord, in: root)
        addException(root, &fields, to: &snapshot)
        addProcess(root, &fields, to: &snapshot)
        if let system = fields.map(.systemInfo, in: root) {
            snapshot.system = fields.system(system)
            snapshot.process.uptimeNanoseconds = fields.integer(.uptime, in: system)
        }
        addThreads(root, &fields, to: &snapshot)
        let missingOfThread = first.flatMap { fields.addThread(of: $0, to: &snapshot) }
        snapshot.findSubjectByQueue()
        snapshot.modules = fields.modules(root, and: first)
        snapshot.unloadedModules = fields.unloadedModules(root)
        snapshot.dynamicLinker = fields.map(.dynamicLinker, in: root).map {
            fields.dynamicLinker($0)
        }
        snapshot.messages = fields.messages(root, orOf: first)
        snapshot.annotations = fields.annotations(.annotationsSimpleMap, in: root)
        snapshot.attachments = fields.attachments(root)
        snapshot.breadcrumbs = fields.breadcrumbs(.breadcrumbs, in: root)
        if let scope = fields.map(.taskScope, in: root) { fields.addScope(scope, to: &snapshot) }
        snapshot.heap = fields.heapSampling(root, architecture)
        snapshot.files = fields.files(root)
        snapshot.memory += fields.memory(.memoryRegions, in: root)
        snapshot.memory += fields.memory(.unwindTables, in: root)
        snapshot.capture = fields.map(.captureSummary, in: root).map { fields.captureSummary($0) }
        let captureDamage = [missingOfThread].compactMap(\.self) + fields.captureDamage(root)
        let displaced = fields.displacedHandlerDamage(root, snapshot.modules)
        snapshot.damage = captureDamage + displaced + tree.damage + fields.allDamage
        return snapshot
    }

    private static func addException(
        _ root: DumpMap, _ fields: inout FieldReader, to snapshot: inout ProcessSnapshot
    ) {
        _ = fields.map(.signalException, in: root)
        guard let exception = root.map(of: [.firstRecord, .signalException]) else { return }
        snapshot.exception = fields.exception(exception, snapshot.architecture)
        if let whole = fields.map(.signalException, in: root) {
            snapshot.memory += fields.memory(.threadContextMemoryRegions, in: whole)
        }
    }

    private static func addProcess(
        _ root: DumpMap, _ fields: inout FieldReader, to snapshot: inout ProcessSnapshot
    ) {
        let process = fields.map(.processInfo, in: root)
        snapshot.process = process.map { fields.process($0) } ?? ProcessFacts()
        fields.addProcess(of: fields.map(.firstRecord, in: root), to: &snapshot)
        guard let process else { return }
        snapshot.commandLine = fields.bytes(.commandLine, in: process)
        snapshot.environment = fields.annotations(.environment, in: process)
            .map { "\($0.name)=\($0.value)" }
    }

    private static func addThreads(
        _ root: DumpMap, _ fields: inout FieldReader, to snapshot: inout ProcessSnapshot
    ) {
        let architecture = snapshot.architecture
        var knownIDs: Set<UInt64> = []
        var memory: [MemoryRegion] = []
        snapshot.threads = fields.elements(.threads, in: root) { map, fields in
            guard let thread = fields.thread(map, architecture) else { return nil }
            guard knownIDs.count < ThreadSnapshot.countLimit else {
                fields.note(
                    "threads",
                    "more than \(ThreadSnapshot.countLimit) are listed; the others were left out")
                return nil
            }
            guard knownIDs.insert(thread.id).inserted else {
                fields.note(
                    "thread \(thread.id)", "it is listed twice; the second entry was left out")
                return nil
            }
            memory += fields.memory(.threadContextMemoryRegions, in: map)
            return thread
        }
        snapshot.memory += memory
    }
}

extension FieldReader {
    mutating func memory(_ key: DumpKey, in map: DumpMap) -> [MemoryRegion] {
        elements(key, in: map) { region, fields in
            fields.region(.memoryRegionAddress, .memoryRegionData, in: region)
        }
    }

    mutating func region(
        _ addressKey: DumpKey, _ dataKey: DumpKey, in map: DumpMap
    ) -> MemoryRegion? {
        guard let data = bytes(dataKey, in: map), !data.isEmpty else { return nil }
        guard let address = integer(addressKey, in: map, as: UInt64.self) else {
            note(dataKey, in: map, "\(dataKey.label) has no address and was left out")
            return nil
        }
        return MemoryRegion(address: address, bytes: data)
    }

    mutating func messages(_ map: DumpMap) -> [CrashMessage] {
        elements(.messages, in: map) { message, fields in
            guard let text = fields.text(.messageText, in: message) else { return nil }
            let source = fields.text(.messageSource, in: message) ?? ""
            return CrashMessage(source: source, text: text)
        }
    }
}
