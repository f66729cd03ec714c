// SPDX-License-Identifier: Apache-2.0

/// Of which number an x86 instruction's address must be a multiple.
enum NeededAlignment {
    /// Nil if any address will do, or if it is not known.
    static func of(_ access: MemoryAccess, in instruction: DecodedInstruction) -> UInt64? {
        let name = instruction.mnemonic
        if let known = ofState[name] { return known }
        guard let count = access.byteCount, count >= 16 else { return nil }
        // Intel SDM 1, 11.4.1.1.
        if name.hasPrefix("v") {
            return alignedMoves.contains(String(name.dropFirst())) ? UInt64(count) : nil
        }
        // SDM 1, 4.1.1: without a VEX prefix all operands of 16 bytes, but those that say otherwise.
        return count == 16 && !unaligned.contains(name) ? 16 : nil
    }

    /// SDM 2: FXSAVE, FXRSTOR, XSAVE, XRSTOR and their variants.
    private static let ofState: [String: UInt64] = [
        "fxsave": 16, "fxsave64": 16, "fxrstor": 16, "fxrstor64": 16, "xsave": 64, "xsave64": 64,
        "xsavec": 64, "xsavec64": 64, "xsaveopt": 64, "xsaveopt64": 64, "xrstor": 64,
        "xrstor64": 64,
    ]
    private static let alignedMoves: Set<String> = [
        "movaps", "movapd", "movdqa", "movdqa32", "movdqa64", "movntps", "movntpd", "movntdq",
        "movntdqa",
    ]
    private static let unaligned: Set<String> = [
        "movups", "movupd", "movdqu", "lddqu", "pcmpestri", "pcmpestrm", "pcmpistri", "pcmpistrm",
        "lgdt", "lidt", "sgdt", "sidt", "invpcid", "fbld", "fbstp",
    ]
}
