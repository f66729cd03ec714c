// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The registers of a thread in a core: `user_regs_struct` of sys/user.h.
enum CoreRegisters {
    static func wordCount(_ architecture: Architecture) -> Int {
        architecture == .x86_64 ? 27 : 34
    }

    static func decode(_ bytes: ByteSlice, _ architecture: Architecture) -> RegisterSnapshot? {
        var words: [UInt64] = []
        for index in 0..<wordCount(architecture) {
            guard let word = bytes.load(at: index * 8, as: UInt64.self) else { return nil }
            words.append(word)
        }
        return architecture == .x86_64 ? .x86_64(x86(words)) : .aarch64(arm64(words))
    }

    private static func x86(_ words: [UInt64]) -> X86Registers {
        var r = X86Registers()
        (r.r15, r.r14, r.r13, r.r12) = (words[0], words[1], words[2], words[3])
        (r.rbp, r.rbx, r.r11, r.r10) = (words[4], words[5], words[6], words[7])
        (r.r9, r.r8, r.rax, r.rcx) = (words[8], words[9], words[10], words[11])
        // Word 15 is orig_rax, the number of an interrupted system call.
        (r.rdx, r.rsi, r.rdi, r.rip) = (words[12], words[13], words[14], words[16])
        (r.rflags, r.rsp) = (words[18], words[19])
        r.cs = UInt16(truncatingIfNeeded: words[17])
        r.ss = UInt16(truncatingIfNeeded: words[20])
        r.fs = UInt16(truncatingIfNeeded: words[25])
        r.gs = UInt16(truncatingIfNeeded: words[26])
        return r
    }

    private static func arm64(_ words: [UInt64]) -> ARM64Registers {
        var r = ARM64Registers()
        r.x = Array(words[0..<31])
        (r.sp, r.pc, r.pstate) = (words[31], words[32], words[33])
        return r
    }

    /// x86: the base of fs, the thread control block.
    static func threadData(_ bytes: ByteSlice, _ architecture: Architecture) -> UInt64? {
        architecture == .x86_64 ? bytes.load(at: 21 * 8, as: UInt64.self) : nil
    }

    /// `user_regs_struct`; 0 for what a snapshot lacks. `threadData`: x86, the base of fs.
    static func encode(_ registers: RegisterSnapshot, threadData: UInt64?) -> [UInt64] {
        switch registers {
        case .x86_64(let r):
            // orig_rax -1: no system call is to be restarted.
            return [
                r.r15, r.r14, r.r13, r.r12, r.rbp, r.rbx, r.r11, r.r10, r.r9, r.r8, r.rax, r.rcx,
                r.rdx, r.rsi, r.rdi, .max, r.rip, UInt64(r.cs), r.rflags, r.rsp, UInt64(r.ss),
                threadData ?? 0, 0, 0, 0, UInt64(r.fs), UInt64(r.gs),
            ]
        case .aarch64(let r): return r.x.prefix(31) + [r.sp, r.pc, r.pstate]
        case .named, .pointers: return []
        }
    }

    /// Adds `NT_FPREGSET`. False if the size is wrong.
    static func addFloatingPoint(_ bytes: ByteSlice, to registers: inout RegisterSnapshot) -> Bool {
        switch registers {
        case .x86_64(var r):
            guard bytes.count >= 512 else { return false }
            // May become a part of an XSAVE area.
            r.floatingPoint = ByteSlice(bytes.slice(from: 0, length: 512).array)
            registers = .x86_64(r)
        case .aarch64(var r):
            guard let fpsr = bytes.load(at: 512, as: UInt32.self),
                let fpcr = bytes.load(at: 516, as: UInt32.self)
            else { return false }
            (r.fpsr, r.fpcr) = (fpsr, fpcr)
            r.vectors = ByteSlice(bytes.slice(from: 0, length: 512).array)
            registers = .aarch64(r)
        case .named, .pointers: return false
        }
        return true
    }
}
