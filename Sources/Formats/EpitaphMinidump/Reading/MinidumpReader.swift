// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Decodes a minidump into a snapshot: ours without loss as far as the format allows, and those of
/// Breakpad, Crashpad, rust-minidump and Windows. Accepts any bytes, with work and memory bounded
/// by the size of the file.
package final class MinidumpReader {
    private typealias ReadStream = (
        ByteSlice, inout MinidumpFile, inout ProcessSnapshot
    ) throws(TruncatedRead) -> Void

    private var file: MinidumpFile
    private var contents: MinidumpContents

    /// Throws if nothing can be shown; for missing parts see `MinidumpContents.readingDamage`.
    package static func read(_ bytes: ByteSlice) throws(MinidumpError) -> MinidumpContents {
        let reader = try MinidumpReader(MinidumpSource(bytes))
        reader.noteMissing()
        reader.readStreams()
        reader.connect()
        return reader.finish()
    }

    /// Only what a list shows: exception, executable, operating system. Reads few bytes. Throws as
    /// `read`.
    package static func readOutline(
        _ pieces: MinidumpPieces
    ) throws(MinidumpError) -> ProcessSnapshot {
        let reader = try MinidumpReader(MinidumpSource(pieces))
        reader.readOutline()
        return reader.contents.snapshot
    }

    /// Only the program's bundle id and annotations. Throws as `read`.
    package static func readAnnotations(
        _ pieces: MinidumpPieces
    ) throws(MinidumpError) -> ProcessSnapshot {
        let reader = try MinidumpReader(MinidumpSource(pieces))
        reader.readCrashpadInfo()
        return reader.contents.snapshot
    }

    private init(_ source: MinidumpSource) throws(MinidumpError) {
        file = try MinidumpFile(source)
        let architecture = try MinidumpReader.architecture(of: &file)
        contents = MinidumpContents(snapshot: ProcessSnapshot(architecture: architecture))
    }

    /// From SystemInfo or, without it, from the size of the crashing thread's registers.
    private static func architecture(
        of file: inout MinidumpFile
    ) throws(MinidumpError) -> Architecture {
        if let stream = file.stream(.systemInfo),
            let number = SystemInfoStream.processorNumber(stream)
        {
            let architecture = ProcessorNumber.architecture(number)
            if ContextFormat.isUnknown(on: architecture) {
                file.note(
                    "registers",
                    "those of processor \(number) (\(architecture.name)) are not understood")
            }
            return architecture
        }
        file.note("SystemInfo", "it is missing")
        if let stream = file.stream(.exception) {
            var cursor = ByteCursor(stream, offset: 160)
            if let size = try? cursor.readLocation().size,
                let architecture = ContextFormat.architecture(ofRecordWith: Int(size))
            {
                return architecture
            }
        }
        guard file.stream(.threadList) != nil || file.stream(.moduleList) != nil else {
            throw .beyondRepair(reason: "no processor, no threads and no modules are left in it")
        }
        return .unknown
    }

    private func noteMissing() {
        for type in [StreamType.threadList, .moduleList] {
            let size = file.byteCount(of: type)
            if size == nil || size == 0 {
                file.note("\(type)", size == nil ? "it is missing" : "it is empty")
            }
        }
    }

    private func readStreams() {
        if file.time != 0 {
            contents.snapshot.process.snapshotTime = Timestamp(
                secondsSince1970: Double(file.time))
        }
        read(.systemInfo, SystemInfoStream.read)
        read(.miscInfo, MiscInfoStream.read)
        read(.threadList, ThreadListStream.read)
        read(.threadNames, ThreadNamesStream.read)
        read(.exception, ExceptionStream.read)
        read(.moduleList, ModuleListStream.read)
        read(.memoryList, MemoryListStream.read)
        read(.memory64List, MemoryListStream.read64)
        LinuxFileStreams.read(from: &file, into: &contents.snapshot)
        read(.memoryInfoList, MemoryInfoListStream.read)
        read(.linuxDynamicLinker, DynamicLinkerStream.read)
        read(.unloadedModuleList, UnloadedModuleListStream.read)
        read(.softErrors, SoftErrorsStream.read)
        // Its words are annotations.
        read(.heapSampling, HeapSamplingStream.read)
        readCrashpadInfo()
        read(.breadcrumbs, BreadcrumbsStream.read)
        read(.attributes, AttributesStream.read)
        read(.keptStacks, KeptStacksStream.read)
        read(.captureFacts, CaptureFactsStream.read)
        read(.breakpadInfo, BreakpadInfoStream.read)
        read(.assertionInfo, AssertionInfoStream.read)
        CommentStreams.read(from: &file, into: &contents.snapshot)
        ExceptionStream.explainAddress(in: &contents.snapshot)
    }

    private func readOutline() {
        read(.systemInfo, SystemInfoStream.readOperatingSystem)
        read(.exception, ExceptionStream.read)
        read(.captureFacts, CaptureFactsStream.read)
        read(.miscInfo, MiscInfoStream.read)
        // The executable is first in the list, or missing.
        read(.moduleList, ModuleListStream.readFirst)
        guard contents.snapshot.modules.first?.kind != .executable else { return }
        readCrashpadInfo()
    }

    private func read(_ type: StreamType, _ body: ReadStream) {
        read(type) { stream, file, contents throws(TruncatedRead) in
            try body(stream, &file, &contents.snapshot)
        }
    }

    private func readCrashpadInfo() {
        read(.crashpadInfo) { stream, file, contents throws(TruncatedRead) in
            try CrashpadInfoStream.read(stream, from: &file, into: &contents)
        }
    }

    private func read(
        _ type: StreamType,
        all body: (ByteSlice, inout MinidumpFile, inout MinidumpContents) throws(TruncatedRead) ->
            Void
    ) {
        guard let stream = file.stream(type) else { return }
        do throws(TruncatedRead) {
            try body(stream, &file, &contents)
        } catch {
            file.note("\(type)", "it ends too early: \(error)")
        }
    }

    private func connect() {
        var snapshot = contents.snapshot
        var starts: [UInt64: MemoryRegion] = [:]
        for region in snapshot.memory { starts[region.address] = region }
        for (index, address) in file.stackAddresses {
            snapshot.threads[index].stack = starts[address]
        }
        var elsewhere = snapshot.threads.compactMap(\.stack)
        if let index = snapshot.modules.firstIndex(where: { $0.kind == .vdso }) {
            let module = snapshot.modules[index]
            if let image = Self.image(of: module, in: snapshot.memory) {
                snapshot.modules[index].image = image.bytes
                elsewhere.append(image)
            }
        }
        snapshot.memory = MemoryMerging.subtracting(
            MemoryMerging.withoutOverlaps(snapshot.memory),
            MemoryMerging.withoutOverlaps(elsewhere))
        Self.explainIncompleteThreads(of: &snapshot)
        contents.snapshot = snapshot
    }

    private static func image(
        of module: ModuleSnapshot, in memory: [MemoryRegion]
    ) -> MemoryRegion? {
        let start = module.addressRange.lowerBound
        guard let region = memory.first(where: { $0.addressRange.contains(start) }) else {
            return nil
        }
        let length = Int(clamping: module.addressRange.upperBound - start)
        let bytes = region.bytes.slice(
            from: Int(clamping: start - region.address), length: length)
        return MemoryRegion(address: start, bytes: bytes)
    }

    private static func explainIncompleteThreads(of snapshot: inout ProcessSnapshot) {
        var reasons: [String: String] = [:]
        for damage in snapshot.damage where damage.stage == .capture {
            reasons[damage.subject] = damage.reason
        }
        for index in snapshot.threads.indices {
            guard let reason = reasons[snapshot.threads[index].damageSubject] else { continue }
            snapshot.threads[index].whyIncomplete = reason
            // Only the registers show that a thread is complete.
            if snapshot.threads[index].completeness == .complete {
                snapshot.threads[index].completeness = .partial
            }
        }
    }

    private func finish() -> MinidumpContents {
        var result = contents
        result.streams = file.streams
        result.readingDamage = file.damage
        result.snapshot.damage += file.damage
        return result
    }
}
