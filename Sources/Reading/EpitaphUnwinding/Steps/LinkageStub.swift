// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// PLT stubs by their instructions, because not all linkers write unwind information for them.
/// psABIs for x86_64, 5.2, and AArch64; Intel CET, "IBT"; Arm BTI.
struct LinkageStub {
    let memory: CapturedMemory

    /// Words pushed above the return address before the instruction at `address`; nil if no stub.
    func pushedWords(at address: UInt64) -> UInt64? {
        let code = memory.bytes(at: address, count: 11).array
        guard code.count == 11 else { return nil }
        switch (code[0], code[1]) {
        // jmp *slot(%rip): a bound function's stub, or the table's head behind push slot(%rip).
        case (0xff, 0x25): return isBehindHeadPush(address) ? 2 : 0
        // bnd jmp *slot(%rip)
        case (0xf2, 0xff): return code[2] == 0x25 ? (isBehindHeadPush(address) ? 2 : 0) : nil
        // endbr64, then any of the others
        case (0xf3, 0x0f):
            let isStub = code[2] == 0x1e && code[3] == 0xfa && pushedWords(at: address &+ 4) == 0
            return isStub ? 0 : nil
        // push $number; jmp head
        case (0x68, _): return code[5] == 0xe9 || (code[5] == 0xf2 && code[6] == 0xe9) ? 0 : nil
        case (0xe9, _), (0xf2, 0xe9): return isBehindNumberPush(address) ? 1 : nil
        // push slot(%rip); jmp *slot(%rip)
        case (0xff, 0x35):
            return (code[6] == 0xff && code[7] == 0x25) || code[6] == 0xf2 ? 1 : nil
        default: return nil
        }
    }

    func slot(at address: UInt64) -> UInt64? {
        slotOnX86(at: address) ?? slotOnARM(at: address)
    }

    // [endbr64] [bnd] jmp *slot(%rip)
    private func slotOnX86(at address: UInt64) -> UInt64? {
        var start = address
        var code = memory.bytes(at: start, count: 11).array[...]
        for prefix: [UInt8] in [[0xf3, 0x0f, 0x1e, 0xfa], [0xf2]] where code.starts(with: prefix) {
            code = code.dropFirst(prefix.count)
            start &+= UInt64(prefix.count)
        }
        guard code.starts(with: [0xff, 0x25]), code.count >= 6 else { return nil }
        let distance = Int32(truncatingIfNeeded: code.dropFirst(2).prefix(4).littleEndian)
        return start &+ 6 &+ UInt64(bitPattern: Int64(distance))
    }

    // [bti c]; adrp x16, page; ldr x17, [x16, #offset]; add x16, x16, #offset; br x17
    private func slotOnARM(at address: UInt64) -> UInt64? {
        func word(_ address: UInt64) -> UInt64 {
            let code = memory.bytes(at: address, count: 4).array
            return code.count == 4 ? UInt64(code.littleEndian) : 0
        }
        let start = word(address) == 0xd503_245f ? address &+ 4 : address
        let (page, load) = (word(start), word(start &+ 4))
        guard page & 0x9f00_001f == 0x9000_0010, load & 0xffc0_03ff == 0xf940_0211,
            (8..<20).contains(where: { word(start &+ UInt64($0)) == 0xd61f_0220 })
        else { return nil }
        // Arm ARM, C6.2, ADRP: 21 bits of pages; LDR: 12 bits of words of 8 bytes.
        let pages = (page >> 5 & 0x7ffff) << 2 | page >> 29 & 3
        let distance = (Int64(bitPattern: pages << 43) >> 43) * 4096
        return start & ~0xfff &+ UInt64(bitPattern: distance) &+ (load >> 10 & 0xfff) * 8
    }

    private func isBehindHeadPush(_ address: UInt64) -> Bool {
        let code = memory.bytes(at: address &- 6, count: 6).array
        return code.count == 6 && code[0] == 0xff && code[1] == 0x35
    }

    private func isBehindNumberPush(_ address: UInt64) -> Bool {
        let code = memory.bytes(at: address &- 5, count: 5).array
        return code.count == 5 && code[0] == 0x68
    }
}
