// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct CoreNotes {
    var threads: [CoreThread] = []
    var process: CoreProcess?
    var signalInfo: ByteSlice?
    var auxiliaryVector: ByteSlice?
    var files: [MappedFile] = []
    /// aarch64: the bits of a pointer that belong to the address.
    var addressMask: UInt64?
    var damage: [Damage] = []
    /// Whether all announced notes were read, so that the list of threads is complete.
    var areWhole = false

    private let architecture: Architecture

    init(_ header: CoreHeader, of source: some CoreSource) {
        architecture = header.architecture
        let segments = header.segments.filter { $0.type == CoreSegment.note }
        // The kernel (fs/binfmt_elf.c) and gdb write one.
        for segment in segments.prefix(16) {
            var stream = NoteStream(segment, of: source)
            while threads.count <= ThreadSnapshot.countLimit, let note = stream.next() {
                add(name: note.name, type: note.type, note.contents)
            }
            areWhole = stream.problem == nil && threads.count <= ThreadSnapshot.countLimit
            guard let problem = stream.problem else { continue }
            lose("notes", problem + "; what comes after it is missing, threads perhaps")
            break
        }
        if segments.isEmpty { lose("notes", "the core has none, and so no threads") }
        dropSurplusThreads()
    }

    private mutating func dropSurplusThreads() {
        var known: Set<UInt64> = []
        let count = threads.count
        threads.removeAll { !known.insert($0.id).inserted }
        if threads.count < count {
            lose("threads", "\(count - threads.count) are listed twice; each counts once")
        }
        guard threads.count > ThreadSnapshot.countLimit else { return }
        threads.removeSubrange(ThreadSnapshot.countLimit...)
        lose(
            "threads",
            "more than \(ThreadSnapshot.countLimit) are listed; the others were left out")
    }

    private mutating func lose(_ subject: String, _ reason: String) {
        damage.append(Damage(stage: .reading, subject: subject, reason: reason))
    }

    private mutating func add(name: String, type: UInt32, _ contents: ByteSlice) {
        switch (name, type) {
        case ("CORE", NoteType.threadStatus):
            guard let thread = CoreThread(contents, architecture) else {
                return lose("threads", "the registers of one are cut")
            }
            threads.append(thread)
        case ("CORE", NoteType.floatingPoint):
            guard let last = threads.indices.last else { return }
            if !CoreRegisters.addFloatingPoint(contents, to: &threads[last].registers) {
                lose(
                    "floating-point registers of thread \(threads[last].id)",
                    "\(contents.count) bytes are not a floating-point state")
            }
        case ("CORE", NoteType.processInfo): process = process ?? CoreProcess(contents)
        case ("CORE", NoteType.signalInfo):
            // gdb writes one for each thread; the first thread's has the signal.
            guard threads.count <= 1 else { return }
            signalInfo = signalInfo ?? ByteSlice(contents.array)
        case ("CORE", NoteType.auxiliaryVector):
            auxiliaryVector = auxiliaryVector ?? ByteSlice(contents.array)
        case ("CORE", NoteType.mappedFiles):
            guard files.isEmpty else { return }
            guard let list = MappedFile.list(contents) else {
                return lose("mapped files", "their list contradicts itself and was left out")
            }
            files = list
        case ("LINUX", NoteType.threadPointer):
            guard let last = threads.indices.last else { return }
            threads[last].threadDataAddress = contents.load(at: 0, as: UInt64.self)
        case ("LINUX", NoteType.pointerMask):
            // The authentication code's bits in instruction pointers, arch/arm64/kernel/ptrace.c.
            addressMask = contents.load(at: 8, as: UInt64.self).map { ~$0 }
        default: break
        }
    }

    func auxiliary(_ type: UInt64) -> UInt64? {
        auxiliaryVector?.value(of: type)
    }
}

extension ByteSlice {
    /// Of pairs of words that end with the key 0, as the auxiliary vector and dynamic sections.
    func value(of wanted: UInt64) -> UInt64? {
        var cursor = ByteCursor(self)
        while let key = try? cursor.read(UInt64.self), key != 0,
            let value = try? cursor.read(UInt64.self)
        {
            if key == wanted { return value }
        }
        return nil
    }
}
