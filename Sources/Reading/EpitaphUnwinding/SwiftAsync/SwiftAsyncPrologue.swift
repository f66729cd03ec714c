// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A prologue that keeps the async context right below the saved frame pointer: LLVM's
/// emitPrologue, "Swift async", in X86FrameLowering.cpp and AArch64FrameLowering.cpp. A part that
/// an `await` returns to first replaces the callee's context there with its own.
struct SwiftAsyncPrologue: Equatable {
    /// Bytes that `init` needs.
    static let longest = 48

    /// Behind these bytes the context is in the frame.
    let byteCount: UInt64
    /// From the caller's stack pointer down to the context.
    let contextDistance: UInt64

    init?(_ code: [UInt8], architecture: Architecture) {
        switch architecture {
        case .x86_64: self.init(x86: code)
        case .aarch64: self.init(arm: code)
        default: return nil
        }
    }

    // push %rbp; push %r14; lea 8(%rsp),%rbp. Before it `sub $n,%rsp` if arguments are on the
    // stack, and `bts $60,%rbp` if the compiler marks frames.
    private init?(x86 code: [UInt8]) {
        var position = 0
        var room: UInt64 = 0
        if code.starts(with: [0x48, 0x83, 0xec]), code.count > 4, code[3] < 0x80 {
            room = UInt64(code[3])
            position = 4
        }
        let mark: [UInt8] = [0x48, 0x0f, 0xba, 0xed, 0x3c]
        if code.dropFirst(position).starts(with: mark) { position += mark.count }
        let save: [UInt8] = [0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08]
        guard code.dropFirst(position).starts(with: save) else { return nil }
        byteCount = UInt64(position + save.count)
        // Return address, rbp, context.
        contextDistance = 24 + room
    }

    // str x22, [sp, #n - 8] somewhere before add x29, sp, #n. A frame record is two words.
    private init?(arm code: [UInt8]) {
        var stored: UInt64?
        for position in stride(from: 0, to: code.count - 3, by: 4) {
            let word = code[position..<position + 4].littleEndian
            // Arm ARM, C6.2: STR (immediate) counts in words of 8, ADD (immediate) in bytes.
            if word & 0xffc0_03ff == 0xf900_03f6 { stored = (word >> 10 & 0xfff) * 8 }
            guard word & 0xffc0_03ff == 0x9100_03fd else { continue }
            guard let stored, stored + 8 == word >> 10 & 0xfff else { return nil }
            byteCount = UInt64(position + 4)
            contextDistance = 24
            return
        }
        return nil
    }
}
