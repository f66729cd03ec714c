// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A register named by an instruction, perhaps part of a larger one.
package struct Register: Sendable, Hashable {
    package let name: String
    /// The full register's name in snapshots: `rax` for `eax`.
    package let wholeName: String
    package let bitCount: Int
    /// Position of its lowest bit in the full register; 8 for `ah`.
    package let lowestBit: Int

    /// An unknown name counts as a full 64-bit register.
    package init(_ name: String) {
        self.name = name
        let part = Self.x86Parts[name] ?? Self.armPart(name)
        wholeName = part?.whole ?? name
        bitCount = part?.bits ?? 64
        lowestBit = part?.shift ?? 0
    }

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

    // Parts of the general-purpose registers: Intel SDM 1, 3.4.1.1.
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
        // On aarch64 `sp` is the full stack pointer.
        parts["sp"] = nil
        for number in 8...15 {
            parts["r\(number)d"] = Part(whole: "r\(number)", bits: 32)
            parts["r\(number)w"] = Part(whole: "r\(number)", bits: 16)
            parts["r\(number)b"] = Part(whole: "r\(number)", bits: 8)
        }
        return parts
    }()

    // Arm ARM, C1.2.4: Wn is the lower half of Xn, WSP of SP, WZR of XZR.
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
