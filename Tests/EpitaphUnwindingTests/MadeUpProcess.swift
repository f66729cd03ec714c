// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// A process put together word by word: code at 0x400000, a stack at 0x7000_0000, and no ELF files.
struct MadeUpProcess {
    static let code: UInt64 = 0x40_0000
    static let stack: UInt64 = 0x7000_0000

    var architecture = Architecture.x86_64
    /// What the code page holds; no bytes of it are in the snapshot when nil.
    var codeBytes: [UInt8]? = [UInt8](repeating: 0x90, count: 4096)
    var stackWords: [UInt64]
    var registers: RegisterSnapshot

    init(_ architecture: Architecture = .x86_64, stackWords: [UInt64], ip: UInt64, fp: UInt64 = 0) {
        self.architecture = architecture
        self.stackWords = stackWords
        switch architecture {
        case .x86_64:
            var saved = X86Registers()
            (saved.rip, saved.rsp, saved.rbp) = (ip, Self.stack, fp)
            registers = .x86_64(saved)
        case .aarch64:
            var saved = ARM64Registers()
            (saved.pc, saved.sp, saved.x[29]) = (ip, Self.stack, fp)
            registers = .aarch64(saved)
        default: registers = .pointers(instruction: ip, stack: Self.stack)
        }
    }

    /// Puts `instruction` right before the code address and returns that: a return address, if it
    /// is a call.
    mutating func returnAddress(_ offset: UInt64, after instruction: [UInt8]) -> UInt64 {
        codeBytes?.replaceSubrange(Int(offset) - instruction.count..<Int(offset), with: instruction)
        return Self.code + offset
    }

    /// Like `returnAddress`, in code that ends the thread afterwards, as musl's `__clone` does.
    mutating func startOfThread(_ offset: UInt64) -> UInt64 {
        let isX86 = architecture == .x86_64
        // call *%r9; mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall
        // blr x1; mov x8, #93; svc #0
        let call: [UInt8] = isX86 ? [0x41, 0xff, 0xd1] : [0x20, 0, 0x3f, 0xd6]
        let exit: [UInt8] =
            isX86
            ? [0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05]
            : [0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4]
        codeBytes?.replaceSubrange(Int(offset)..<Int(offset) + exit.count, with: exit)
        return returnAddress(offset, after: call)
    }

    var snapshot: ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: architecture)
        snapshot.files.maps = ByteSlice(
            Array(
                "00400000-00401000 r-xp 00000000 00:00 0\n70000000-70100000 rw-p 0 00:00 0\n".utf8))
        if let codeBytes {
            snapshot.memory = [MemoryRegion(address: Self.code, bytes: ByteSlice(codeBytes))]
        }
        var thread = ThreadSnapshot(id: 1, completeness: .complete)
        thread.registers = registers
        let bytes = stackWords.flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xff) } }
        thread.stack = MemoryRegion(address: Self.stack, bytes: ByteSlice(bytes))
        snapshot.threads = [thread]
        return snapshot
    }

    func unwind(frameLimit: Int = StackUnwinder.defaultFrameLimit) -> Backtrace {
        let snapshot = snapshot
        return StackUnwinder(snapshot: snapshot, images: NoImages(), frameLimit: frameLimit)
            .unwind(snapshot.threads[0])
    }
}

struct NoImages: ELFImageSource {
    func images(for module: ModuleSnapshot) -> ModuleImages { ModuleImages() }
}
