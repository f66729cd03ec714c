// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Recognises PLT stubs by their instructions, because not all linkers write unwind information for
/// them. psABI for x86_64, 5.2; Intel CET, "IBT".
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

    private func isBehindHeadPush(_ address: UInt64) -> Bool {
        let code = memory.bytes(at: address &- 6, count: 6).array
        return code.count == 6 && code[0] == 0xff && code[1] == 0x35
    }

    private func isBehindNumberPush(_ address: UInt64) -> Bool {
        let code = memory.bytes(at: address &- 5, count: 5).array
        return code.count == 5 && code[0] == 0x68
    }
}
