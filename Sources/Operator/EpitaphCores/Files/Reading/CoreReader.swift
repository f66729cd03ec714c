// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Reads a Linux core file as a snapshot: core(5), docs/core-files.md. It has what our own dump
/// would have; the rest of the core is neither read nor copied.
package struct CoreReader {
    private let header: CoreHeader
    private let notes: CoreNotes

    /// Whether a file that begins with these bytes, at least 18, is a core.
    package static func isCore(_ head: ByteSlice) -> Bool { CoreHeader.isCore(head) }

    /// - Throws: if it is not a core, or an unsupported one. All other problems become damage.
    package init(_ source: some CoreSource) throws(CoreFileError) {
        header = try CoreHeader(source)
        notes = CoreNotes(header, of: source)
    }

    package var processID: Int32? { notes.process?.id }

    /// Sorted: the addresses in the core, without those excluded by MADV_DONTDUMP or core_filter.
    package var writtenRanges: [Range<UInt64>] {
        header.segments.filter { $0.type == CoreSegment.load && $0.fileSize > 0 }
            .map {
                $0.address..<$0.address
                    + min($0.fileSize, UInt64(Int64.max) - min($0.address, UInt64(Int64.max)))
            }
            .filter { !$0.isEmpty && $0.lowerBound < UInt64(Int64.max) }
            .sorted { $0.lowerBound < $1.lowerBound }
    }

    package func snapshot(_ source: some CoreSource) -> ProcessSnapshot {
        var snapshot = snapshot(
            memory: LoadedMemory(header, of: source), mappings: AddressMap(header, notes).mappings)
        snapshot.mappingsWithoutFile = AddressMap(header, notes).mappings
        if let lacking = lackingMemory(of: source) { snapshot.damage.append(lacking) }
        if let problem = source.readProblem {
            snapshot.damage.append(
                Damage(stage: .reading, subject: "core file", reason: problem))
        }
        return snapshot
    }

    /// The notes of the core, with memory and mappings of the process, which waits for its core.
    package func snapshot(memory: any CoreMemory, mappings: [MemoryMapping]) -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: header.architecture)
        addFacts(to: &snapshot)
        let map = AddressMap(mappings)
        let found = CoreModules(notes, map, memory, header.architecture)
        snapshot.modules = found.modules
        snapshot.dynamicLinker = found.linker
        addThreads(to: &snapshot, memory, map)
        snapshot.damage = notes.damage + found.damage + snapshot.damage
        return snapshot
    }

    private func addThreads(
        to snapshot: inout ProcessSnapshot, _ memory: any CoreMemory, _ map: AddressMap
    ) {
        let arguments = argumentRange(map)
        var selection = MemorySelection(memory: memory, map: map, privateRange: arguments)
        let hasTasks = snapshot.modules.contains { $0.name.hasPrefix("libswift_Concurrency") }
        for (index, thread) in notes.threads.enumerated() {
            var entry = ThreadSnapshot(id: thread.id, completeness: .complete)
            entry.registers = thread.registers
            entry.threadDataAddress = thread.threadDataAddress
            selection.select(&entry, isCrashing: index == 0, followsTasks: hasTasks || index < 64)
            snapshot.threads.append(entry)
        }
        snapshot.memory = selection.regions
        snapshot.damage += selection.damage
        let texts = PrivateTexts(arguments, memory)
        if texts.isCut {
            snapshot.damage.append(
                Damage(
                    stage: .reading,
                    subject: "environment, whose copies in memory may not all be blanked",
                    reason: "not all of it is in the core"))
        }
        var capture = CaptureSummary()
        // The kernel and gdb write all threads of the process.
        if notes.areWhole { capture.threadsFound = UInt32(clamping: notes.threads.count) }
        capture.blankedByteCount = texts.blank(&snapshot, map)
        snapshot.capture = capture
        addException(to: &snapshot)
    }

    /// Arguments and environment. The kernel puts the bytes of AT_RANDOM and the name of the
    /// platform below them: create_elf_tables, fs/binfmt_elf.c.
    private func argumentRange(_ map: AddressMap) -> Range<UInt64>? {
        let marks = [AuxiliaryType.random, AuxiliaryType.platform, AuxiliaryType.fileName]
            .compactMap { notes.auxiliary($0) }
        guard let lowest = marks.first, let mapping = map.mapping(at: lowest),
            mapping.isWritable
        else { return nil }
        let start = marks.filter { mapping.addressRange.contains($0) }.min() ?? lowest
        return start..<mapping.addressRange.upperBound
    }

    private func addFacts(to snapshot: inout ProcessSnapshot) {
        if let process = notes.process {
            snapshot.process.id = process.id
            snapshot.process.parentID = process.parentID
            snapshot.process.userID = process.userID
        }
        let main = notes.threads.first { $0.id == UInt64(clamping: snapshot.process.id ?? 0) }
        snapshot.process.userTimeSeconds = main?.userTimeSeconds
        snapshot.process.systemTimeSeconds = main?.systemTimeSeconds
        snapshot.files.auxv = notes.auxiliaryVector
        snapshot.system.pageSize = notes.auxiliary(AuxiliaryType.pageSize)
        snapshot.system.hardwareCapabilities = notes.auxiliary(AuxiliaryType.capabilities)
        snapshot.system.hardwareCapabilities2 = notes.auxiliary(AuxiliaryType.capabilities2)
        snapshot.system.addressMask = notes.addressMask
        snapshot.system.machine = header.architecture.name
    }

    private func addException(to snapshot: inout ProcessSnapshot) {
        let information = SignalInformation(notes.signalInfo)
        guard let first = snapshot.threads.first,
            let signal = information?.signal ?? notes.threads.first?.signal, signal != 0
        else {
            snapshot.request = ReportRequest(kind: .live)
            return
        }
        var exception = ExceptionSnapshot(
            signal: signal, code: information?.code ?? 0, address: information?.address ?? 0)
        exception.isCodeKnown = information != nil
        exception.threadID = first.id
        exception.registers = first.registers
        exception.errorNumber = information?.errorNumber
        exception.senderProcessID = information?.senderProcessID
        exception.senderUserID = information?.senderUserID
        exception.signalInfo = notes.signalInfo
        snapshot.exception = exception
    }

    private func lackingMemory(of source: some CoreSource) -> Damage? {
        let ends = header.segments.map { $0.fileSize == 0 ? 0 : $0.fileEnd ?? .max }
        guard let end = ends.max(), end > source.byteCount else { return nil }
        let missing = header.segments.reduce(UInt64(0)) { sum, segment in
            guard segment.fileSize > 0, let end = segment.fileEnd, end > source.byteCount else {
                return sum
            }
            return sum &+ min(segment.fileSize, end - source.byteCount)
        }
        return Damage(
            stage: .reading, subject: "core file",
            reason:
                "it ends after \(source.byteCount) bytes, \(missing) bytes of memory are missing")
    }
}

/// `siginfo_t`, sigaction(2): asm-generic/siginfo.h.
struct SignalInformation {
    let signal: Int32
    let code: Int32
    let errorNumber: Int32
    let address: UInt64
    let senderProcessID: Int32?
    let senderUserID: UInt32?

    init?(_ bytes: ByteSlice?) {
        guard let bytes, let signal = bytes.load(at: 0, as: Int32.self),
            let errorNumber = bytes.load(at: 4, as: Int32.self),
            let code = bytes.load(at: 8, as: Int32.self),
            let word = bytes.load(at: 16, as: UInt64.self)
        else { return nil }
        self.signal = signal
        self.code = code
        self.errorNumber = errorNumber
        // SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS from the kernel.
        let hasAddress = [4, 5, 7, 8, 11, 31].contains(signal) && code > 0 && code != 0x80
        address = hasAddress ? word : 0
        // SI_USER, SI_QUEUE and SI_TKILL.
        let isSent = [0, -1, -6].contains(code)
        senderProcessID = isSent ? bytes.load(at: 16, as: Int32.self) : nil
        senderUserID = isSent ? bytes.load(at: 20, as: UInt32.self) : nil
    }
}
