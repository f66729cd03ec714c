// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Builds the notes of a core: elf(5), sys/procfs.h.
struct NoteRecord {
    private(set) var bytes = ByteBuilder()

    private mutating func append(_ name: String, _ type: UInt32, _ contents: ByteBuilder) {
        bytes.append(UInt32(name.utf8.count + 1))
        bytes.append(UInt32(contents.count))
        bytes.append(type)
        bytes.append(name)
        bytes.appendZeros(4 - name.utf8.count % 4)
        bytes.append(contents.bytes)
        bytes.appendZeros((4 - contents.count % 4) % 4)
    }

    /// `struct elf_prstatus`; `words` are its `user_regs_struct`.
    mutating func appendStatus(
        of thread: UInt64, signal: Int32, words: [UInt64], _ process: ProcessFacts,
        hasFloatingPoint: Bool
    ) {
        var status = ByteBuilder()
        for number in [signal, 0, 0] { status.append(number) }
        status.append(Int16(truncatingIfNeeded: signal))
        status.appendZeros(18)
        status.append(Int32(truncatingIfNeeded: thread))
        status.append(process.parentID ?? 0)
        status.appendZeros(8)
        // pr_utime, pr_stime, then those of children.
        let isMain = thread == UInt64(clamping: process.id ?? 0)
        for seconds in [process.userTimeSeconds, process.systemTimeSeconds] {
            let seconds = isMain ? min(max(seconds ?? 0, 0), 1e12) : 0
            status.append(Int64(seconds))
            status.append(Int64((seconds - seconds.rounded(.down)) * 1e6))
        }
        status.appendZeros(32)
        for word in words { status.append(word) }
        status.append(Int32(hasFloatingPoint ? 1 : 0))
        status.appendZeros(4)
        append("CORE", NoteType.threadStatus, status)
    }

    /// `struct elf_prpsinfo`. A report has no command line; the program's path stands for it.
    mutating func appendProcess(_ snapshot: ProcessSnapshot) {
        var info = ByteBuilder()
        info.appendZeros(1)
        info.append("R")
        info.appendZeros(14)
        info.append(snapshot.process.userID ?? 0)
        info.append(UInt32(0))
        info.append(snapshot.process.id ?? 0)
        info.append(snapshot.process.parentID ?? 0)
        info.appendZeros(8)
        let program = snapshot.modules.first { $0.kind == .executable }
        info.appendText(program?.name ?? "", size: 16)
        info.appendText(program?.path ?? "", size: 80)
        append("CORE", NoteType.processInfo, info)
    }

    /// `siginfo_t`: the kernel's, or the known part of it.
    mutating func appendSignal(_ exception: ExceptionSnapshot) {
        var info = ByteBuilder()
        if let whole = exception.signalInfo, whole.count == 128 {
            info.append(whole.array)
        } else {
            info.append(exception.signal)
            info.append(exception.errorNumber ?? 0)
            info.append(exception.code)
            info.append(Int32(0))
            if let sender = exception.senderProcessID {
                info.append(sender)
                info.append(exception.senderUserID ?? 0)
            } else {
                info.append(exception.address)
            }
            info.appendZeros(128 - info.count)
        }
        append("CORE", NoteType.signalInfo, info)
    }

    mutating func appendAuxiliaryVector(_ vector: ByteSlice) {
        var contents = ByteBuilder()
        contents.append(vector.array)
        append("CORE", NoteType.auxiliaryVector, contents)
    }

    /// `NT_FILE`. Debuggers read memory that the core lacks from these files; not that of writable
    /// mappings, because its contents are unknown.
    mutating func appendFiles(_ mappings: [MemoryMapping]) {
        let files = mappings.filter {
            $0.path.hasPrefix("/") && !$0.isWritable && $0.isReadable && $0.fileOffset % 4096 == 0
        }
        guard !files.isEmpty else { return }
        var contents = ByteBuilder()
        contents.append(UInt64(files.count))
        contents.append(UInt64(4096))
        for file in files {
            contents.append(file.addressRange.lowerBound)
            contents.append(file.addressRange.upperBound)
            contents.append(file.fileOffset / 4096)
        }
        for file in files {
            contents.append(file.path)
            contents.appendZeros(1)
        }
        append("CORE", NoteType.mappedFiles, contents)
    }

    mutating func appendFloatingPoint(
        _ registers: RegisterSnapshot, threadData: UInt64?, addressMask: UInt64?
    ) {
        var contents = ByteBuilder()
        switch registers {
        case .x86_64(let r):
            guard let state = r.floatingPoint, state.count >= 512 else { return }
            contents.append(state.slice(from: 0, length: 512).array)
            append("CORE", NoteType.floatingPoint, contents)
            if let area = ExtendedState.area(ofSignalFrame: state) {
                append("LINUX", NoteType.extendedState, area)
            }
        case .aarch64(let r):
            if let vectors = r.vectors, vectors.count == 512 {
                contents.append(vectors.array)
                contents.append(r.fpsr)
                contents.append(r.fpcr)
                contents.appendZeros(8)
                append("CORE", NoteType.floatingPoint, contents)
            }
            appendARM64(threadData: threadData, addressMask: addressMask)
        case .named, .pointers: return
        }
    }

    private mutating func appendARM64(threadData: UInt64?, addressMask: UInt64?) {
        if let threadData {
            var contents = ByteBuilder()
            contents.append(threadData)
            append("LINUX", NoteType.threadPointer, contents)
        }
        // Bit 55 distinguishes kernel from user addresses.
        if let addressMask, ~addressMask & 0x7f_ffff_ffff_ffff != 0 {
            var contents = ByteBuilder()
            contents.append(~addressMask & 0x7f_ffff_ffff_ffff)
            contents.append(~addressMask & 0x7f_ffff_ffff_ffff)
            append("LINUX", NoteType.pointerMask, contents)
        }
    }
}

extension ByteBuilder {
    fileprivate mutating func appendText(_ text: String, size: Int) {
        let kept = Array(text.utf8.prefix(size - 1))
        append(kept)
        appendZeros(size - kept.count)
    }
}
