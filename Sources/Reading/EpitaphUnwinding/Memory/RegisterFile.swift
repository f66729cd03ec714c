// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// One frame's registers by DWARF number, and which are known. System V psABI for x86_64, figure
/// 3.36: 0 to 15 general, 16 return address. ABI for the Arm 64-bit architecture, DWARF, 4.1: 0 to
/// 30 general, 31 stack pointer, 32 program counter.
struct RegisterFile {
    static let count = 33

    private var values = InlineArray<33, UInt64>(repeating: 0)
    private var known: UInt64 = 0

    subscript(number: Int) -> UInt64? {
        get {
            guard number >= 0, number < Self.count, known >> UInt64(number) & 1 == 1 else {
                return nil
            }
            return values[number]
        }
        set {
            guard number >= 0, number < Self.count else { return }
            if let newValue {
                values[number] = newValue
                known |= 1 << UInt64(number)
            } else {
                known &= ~(1 << UInt64(number))
            }
        }
    }

    mutating func keep(_ mask: UInt64) {
        known &= mask
    }
}

struct RegisterRoles {
    let instructionPointer: Int
    let stackPointer: Int
    let framePointer: Int
    /// x30, where a call leaves its return address.
    let linkRegister: Int?
    let preserved: UInt64

    /// rbx, rbp, r12 to r15. psABI, 3.2.1.
    static let x86_64 = RegisterRoles(
        instructionPointer: 16, stackPointer: 7, framePointer: 6, linkRegister: nil,
        preserved: 1 << 3 | 1 << 6 | 0xf << 12)
    /// x19 to x29. AAPCS64, 6.1.1.
    static let aarch64 = RegisterRoles(
        instructionPointer: 32, stackPointer: 31, framePointer: 29, linkRegister: 30,
        preserved: 0x7ff << 19)

    static func of(_ architecture: Architecture) -> RegisterRoles {
        switch architecture {
        case .aarch64: aarch64
        // Other processors are not unwound.
        default: x86_64
        }
    }
}

extension RegisterFile {
    init(_ registers: RegisterSnapshot) {
        switch registers {
        case .x86_64(let saved):
            let numbered = [
                saved.rax, saved.rdx, saved.rcx, saved.rbx, saved.rsi, saved.rdi, saved.rbp,
                saved.rsp, saved.r8, saved.r9, saved.r10, saved.r11, saved.r12, saved.r13,
                saved.r14, saved.r15, saved.rip,
            ]
            for (number, value) in numbered.enumerated() { self[number] = value }
        case .aarch64(let saved):
            for (number, value) in saved.x.prefix(31).enumerated() { self[number] = value }
            self[31] = saved.sp
            self[32] = saved.pc
        case .named, .pointers: break
        }
    }
}
