// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A register that an instruction names, which may be a part of a larger one.
package struct Register: Sendable, Hashable {
    /// As written in the instruction: `eax`, `r10`, `w3`, `xmm1`.
    package let name: String
    /// The register it is a part of, under the name that snapshots use: `rax` for `eax`.
    package let wholeName: String
    /// Its width in bits.
    package let bitCount: Int
    /// The place of its lowest bit in the whole register; 8 for `ah`.
    package let lowestBit: Int

    /// Finds the whole register by the assembler's names of both processors; an unknown name is
    /// taken for a whole register of 64 bits.
    package init(_ name: String) {
        self.name = name
        let part = Self.x86Parts[name] ?? Self.armPart(name)
        wholeName = part?.whole ?? name
        bitCount = part?.bits ?? 64
        lowestBit = part?.shift ?? 0
    }

    /// Its value; nil if snapshots do not have this register as a number.
    package func value(in registers: RegisterSnapshot) -> UInt64? {
        if wholeName == "xzr" { return 0 }
        guard let whole = registers.named.first(where: { $0.name == wholeName })?.value else {
            return nil
        }
        let shifted = whole >> UInt64(lowestBit)
        return bitCount >= 64 ? shifted : shifted & (1 << UInt64(bitCount) - 1)
    }

    private struct Part {
        let whole: String
        let bits: Int
        var shift = 0
    }

    // Intel SDM 1, 3.4.1.1: names of the parts of the general-purpose registers.
    private static let x86Parts: [String: Part] = {
        var parts: [String: Part] = [:]
        for letter in ["a", "b", "c", "d"] {
            let whole = "r\(letter)x"
            parts["e\(letter)x"] = Part(whole: whole, bits: 32)
            parts["\(letter)x"] = Part(whole: whole, bits: 16)
            parts["\(letter)l"] = Part(whole: whole, bits: 8)
            parts["\(letter)h"] = Part(whole: whole, bits: 8, shift: 8)
        }
        for name in ["si", "di", "bp", "sp"] {
            parts["e\(name)"] = Part(whole: "r\(name)", bits: 32)
            parts[name] = Part(whole: "r\(name)", bits: 16)
            parts["\(name)l"] = Part(whole: "r\(name)", bits: 8)
        }
        // On aarch64 `sp` is the whole stack pointer; `registers` decides which of the two it is.
        parts["sp"] = nil
        for number in 8...15 {
            parts["r\(number)d"] = Part(whole: "r\(number)", bits: 32)
            parts["r\(number)w"] = Part(whole: "r\(number)", bits: 16)
            parts["r\(number)b"] = Part(whole: "r\(number)", bits: 8)
        }
        return parts
    }()

    // Arm ARM, C1.2.4: Wn is the lower half of Xn, WSP that of SP, WZR that of XZR.
    private static func armPart(_ name: String) -> Part? {
        switch name {
        case "wsp": return Part(whole: "sp", bits: 32)
        case "wzr": return Part(whole: "xzr", bits: 32)
        case "fp": return Part(whole: "x29", bits: 64)
        case "lr": return Part(whole: "x30", bits: 64)
        default:
            guard name.first == "w", let number = Int(name.dropFirst()), (0...30).contains(number)
            else { return nil }
            return Part(whole: "x\(number)", bits: 32)
        }
    }
}
