// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Writes a snapshot as an ELF core for gdb and lldb: core(5), docs/core-files.md. Memory that the
/// snapshot lacks is left out: a debugger shall not show zeros. Segments therefore begin and end at
/// any byte, with file offsets congruent with their addresses, elf(5).
package struct CoreWriter {
    /// Parts of the snapshot that the core lacks, as sentences without a full stop.
    package private(set) var problems: [String] = []

    private var pieces: [(offset: UInt64, bytes: ByteSlice)] = []
    /// elfutils takes each segment to begin at a multiple of the smallest alignment of all.
    private static let alignment: UInt64 = 8
    private static let headerSize: UInt64 = 64
    /// PN_XNUM
    private static let mostInHeader = 0xffff

    /// - Throws: if the processor is not supported, or no thread has registers.
    package init(_ snapshot: ProcessSnapshot) throws(CoreFileError) {
        guard snapshot.architecture.isCaptured else {
            throw .unsupported("of \(snapshot.architecture.name)")
        }
        let notes = try notes(of: snapshot)
        let runs = Self.runs(of: snapshot)
        lay(out: notes, runs, snapshot)
    }

    package var byteCount: UInt64 {
        pieces.last.map { $0.offset + UInt64($0.bytes.count) } ?? 0
    }

    /// - Throws: what the sink throws; the core is then incomplete.
    package func write<Sink: ByteSink>(to sink: inout Sink) throws(Sink.Failure) {
        var position: UInt64 = 0
        for piece in pieces {
            if piece.offset > position {
                try sink.append([UInt8](repeating: 0, count: Int(piece.offset - position)))
            }
            try sink.append(piece.bytes)
            position = piece.offset + UInt64(piece.bytes.count)
        }
    }

    private mutating func notes(
        of snapshot: ProcessSnapshot
    ) throws(CoreFileError) -> NoteRecord {
        var record = NoteRecord()
        let threads = writtenThreads(of: snapshot)
        guard !threads.isEmpty else {
            throw .unsupported("to be made of a report without the registers of any thread")
        }
        for (index, thread) in threads.enumerated() {
            record.appendStatus(
                of: thread.id, signal: snapshot.exception?.signal ?? 0, words: thread.words,
                snapshot.process, hasFloatingPoint: thread.hasFloatingPoint)
            if index == 0 {
                record.appendProcess(snapshot)
                if let exception = snapshot.exception { record.appendSignal(exception) }
                if let vector = snapshot.files.auxv { record.appendAuxiliaryVector(vector) }
                record.appendFiles(snapshot.mappings)
            }
            record.appendFloatingPoint(
                thread.registers, threadData: thread.data, addressMask: snapshot.system.addressMask)
        }
        return record
    }

    private struct WrittenThread {
        var id: UInt64
        var registers: RegisterSnapshot
        var data: UInt64?
        var words: [UInt64]

        var hasFloatingPoint: Bool {
            switch registers {
            case .x86_64(let r): r.floatingPoint.map { $0.count >= 512 } ?? false
            case .aarch64(let r): r.vectors != nil
            case .named, .pointers: false
            }
        }
    }

    /// The crashing thread first. Each gets a unique id, because gdb tells threads apart by it.
    private mutating func writtenThreads(of snapshot: ProcessSnapshot) -> [WrittenThread] {
        var threads = snapshot.threads
        let subject = snapshot.exception?.threadID ?? snapshot.request?.subjectThreadID ?? 0
        if let index = threads.firstIndex(where: { $0.id == subject }) {
            threads.insert(threads.remove(at: index), at: 0)
            threads[0].registers = snapshot.exception?.registers ?? threads[0].registers
        }
        var written: [WrittenThread] = []
        var (partial, missing) = (0, 0)
        var ids: Set<UInt64> = []
        for thread in threads {
            guard let registers = thread.registers,
                let words = Self.words(registers, thread, snapshot.architecture)
            else {
                missing += 1
                continue
            }
            if case .pointers = registers { partial += 1 }
            var id = thread.id == 0 ? UInt64(clamping: snapshot.process.id ?? 1) : thread.id
            while !ids.insert(id).inserted { id += 1 }
            written.append(
                WrittenThread(
                    id: id, registers: registers, data: thread.threadDataAddress, words: words))
        }
        if partial > 0 {
            problems.append(
                "of \(Self.counted(partial)) only instruction and stack pointer are known; the other "
                    + "registers are 0 in the core")
        }
        if missing > 0 {
            problems.append("\(Self.counted(missing)) without registers are not in the core")
        }
        return written
    }

    private static func counted(_ count: Int) -> String {
        count == 1 ? "1 thread" : "\(count) threads"
    }

    private static func words(
        _ registers: RegisterSnapshot, _ thread: ThreadSnapshot, _ architecture: Architecture
    ) -> [UInt64]? {
        var known = registers
        if case .pointers(let instruction, let stack) = registers {
            if architecture == .x86_64 {
                var r = X86Registers()
                (r.rip, r.rsp) = (instruction, stack)
                known = .x86_64(r)
            } else {
                var r = ARM64Registers()
                (r.pc, r.sp) = (instruction, stack)
                known = .aarch64(r)
            }
        }
        let words = CoreRegisters.encode(known, threadData: thread.threadDataAddress)
        return words.count == CoreRegisters.wordCount(architecture) ? words : nil
    }

    private static func runs(of snapshot: ProcessSnapshot) -> [MemoryRun] {
        var others = snapshot.memory
        for module in snapshot.modules {
            guard let image = module.image else { continue }
            others.append(MemoryRegion(address: module.addressRange.lowerBound, bytes: image))
        }
        let list = RebuiltLoaderList.regions(snapshot)
        return MemoryMerging.runs(
            preferred: snapshot.threads.compactMap(\.stack) + list, others: others)
    }

    private mutating func lay(
        out notes: NoteRecord, _ runs: [MemoryRun], _ snapshot: ProcessSnapshot
    ) {
        let count = runs.count + 1
        let isCounted = count < Self.mostInHeader
        let tableEnd = Self.headerSize + UInt64(count) * UInt64(CoreSegment.headerSize)
        let notesOffset = isCounted ? tableEnd : tableEnd + 64
        var offset = notesOffset + UInt64(notes.bytes.count)
        var table = ByteBuilder()
        table.append(
            CoreSegment(
                type: CoreSegment.note, flags: 4, fileOffset: notesOffset, address: 0,
                fileSize: UInt64(notes.bytes.count), memorySize: 0), align: 4)
        let map = AddressMap(snapshot.mappings)
        var contents: [(offset: UInt64, bytes: ByteSlice)] = []
        for run in runs {
            offset += (run.address &- offset) & (Self.alignment - 1)
            table.append(
                CoreSegment(
                    type: CoreSegment.load, flags: Self.flags(map.mapping(at: run.address)),
                    fileOffset: offset, address: run.address, fileSize: run.byteCount,
                    memorySize: run.byteCount), align: Self.alignment)
            for part in run.parts {
                contents.append((offset, part))
                offset += UInt64(part.count)
            }
        }
        var head = Self.header(
            snapshot.architecture, segmentCount: count, sectionOffset: isCounted ? 0 : tableEnd)
        head.append(table.bytes)
        if !isCounted { head.append(Self.countingSection(count)) }
        head.append(notes.bytes.bytes)
        pieces = [(0, ByteSlice(head.bytes))] + contents
    }

    private static func flags(_ mapping: MemoryMapping?) -> UInt32 {
        guard let mapping else { return 4 }
        return 4 | (mapping.isWritable ? 2 : 0) | (mapping.isExecutable ? 1 : 0)
    }

    private static func header(
        _ architecture: Architecture, segmentCount: Int, sectionOffset: UInt64
    ) -> ByteBuilder {
        var head = ByteBuilder()
        head.append([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9))
        head.append(UInt16(4))
        head.append(architecture.rawValue)
        head.append(UInt32(1))
        for word in [0, headerSize, sectionOffset] { head.append(word) }
        head.append(UInt32(0))
        let counted = min(segmentCount, mostInHeader)
        let sectionCount: UInt16 = sectionOffset == 0 ? 0 : 1
        for half in [
            UInt16(headerSize), CoreSegment.headerSize, UInt16(counted), sectionCount == 0 ? 0 : 64,
            sectionCount, 0,
        ] { head.append(half) }
        return head
    }

    /// elf(5): from 65,535 segments on, sh_info of the first section has their number.
    private static func countingSection(_ count: Int) -> [UInt8] {
        var section = ByteBuilder()
        section.appendZeros(44)
        section.append(UInt32(count))
        section.appendZeros(16)
        return section.bytes
    }
}

extension ByteBuilder {
    fileprivate mutating func append(_ segment: CoreSegment, align: UInt64) {
        append(segment.type)
        append(segment.flags)
        for word in [
            segment.fileOffset, segment.address, 0, segment.fileSize, segment.memorySize, align,
        ] { append(word) }
    }
}
