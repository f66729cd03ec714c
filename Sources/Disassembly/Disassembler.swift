// SPDX-License-Identifier: Apache-2.0

import CCapstone
import Snapshot

/// Decodes machine code of x86_64 and aarch64 with capstone. Accepts any bytes: the result is nil
/// for what is no instruction, and for other processors.
///
/// Not for use by several threads at once.
public final class Disassembler {
    /// Whose instructions are decoded; other than x86_64 and aarch64 none are.
    public let architecture: Architecture
    private var handle: csh = 0
    private let isOpen: Bool

    /// Opens capstone. If that fails, for example because it is not installed, all results are nil.
    public init(_ architecture: Architecture) {
        self.architecture = architecture
        switch architecture {
        case .x86_64: isOpen = cs_open(CS_ARCH_X86, CS_MODE_64, &handle) == CS_ERR_OK
        case .aarch64:
            isOpen = cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle) == CS_ERR_OK
        default: isOpen = false
        }
        // Without this option capstone leaves out operands and groups.
        if isOpen { cs_option(handle, CS_OPT_DETAIL, Int(CS_OPT_ON.rawValue)) }
    }

    deinit {
        if isOpen { cs_close(&handle) }
    }

    /// The instruction that begins with the first of `bytes`; nil if that is not an instruction or
    /// the bytes end inside it.
    ///
    /// - Parameters:
    ///   - bytes: machine code.
    ///   - address: where the bytes are in the process.
    public func instruction(_ bytes: ArraySlice<UInt8>, at address: UInt64) -> Instruction? {
        guard isOpen, !bytes.isEmpty else { return nil }
        var decoded: UnsafeMutablePointer<cs_insn>?
        let count = bytes.withUnsafeBufferPointer { buffer in
            cs_disasm(handle, buffer.baseAddress, buffer.count, address, 1, &decoded)
        }
        guard count == 1, let decoded else { return nil }
        defer { cs_free(decoded, count) }
        return instruction(decoded.pointee)
    }

    /// Consecutive instructions, up to the first bytes that are not one.
    public func instructions(
        _ bytes: [UInt8], at address: UInt64, atMost limit: Int = .max
    ) -> [Instruction] {
        var found: [Instruction] = []
        var rest = bytes[...]
        while found.count < limit,
            let next = instruction(
                rest.prefix(16), at: address &+ UInt64(rest.startIndex - bytes.startIndex)),
            !next.bytes.isEmpty
        {
            found.append(next)
            rest = rest.dropFirst(next.bytes.count)
        }
        return found
    }

    private func instruction(_ decoded: cs_insn) -> Instruction {
        let mnemonic = text(decoded.mnemonic)
        let operandText = text(decoded.op_str)
        let bytes = withUnsafeBytes(of: decoded.bytes) { Array($0.prefix(Int(decoded.size))) }
        var instruction = Instruction(
            address: decoded.address, bytes: bytes, mnemonic: mnemonic,
            text: operandText.isEmpty ? mnemonic : "\(mnemonic) \(operandText)", operands: [],
            memoryAccesses: [], flow: .next, isPrivileged: false, features: [])
        guard let detail = decoded.detail?.pointee else { return instruction }
        readGroups(detail, into: &instruction)
        switch architecture {
        case .x86_64: X86Operands.read(detail.x86, handle, into: &instruction)
        case .aarch64: ARM64Operands.read(detail.arm64, handle, operandText, into: &instruction)
        default: break
        }
        return instruction
    }

    private func readGroups(_ detail: cs_detail, into instruction: inout Instruction) {
        let groups = withUnsafeBytes(of: detail.groups) {
            Array($0.prefix(Int(detail.groups_count)))
        }
        for group in groups {
            switch UInt32(group) {
            case CS_GRP_JUMP.rawValue: instruction.flow = .jump
            case CS_GRP_CALL.rawValue: instruction.flow = .call
            case CS_GRP_RET.rawValue: instruction.flow = .return
            case CS_GRP_PRIVILEGE.rawValue: instruction.isPrivileged = true
            case 128...:
                if let name = cs_group_name(handle, UInt32(group)) {
                    instruction.features.append(String(cString: name))
                }
            default: break
            }
        }
        // Capstone 4 classifies these calls as jumps: Arm ARM, C6.2, BL and BLR.
        let calls = ["bl", "blr", "blraa", "blraaz", "blrab", "blrabz"]
        if architecture == .aarch64, calls.contains(instruction.mnemonic) {
            instruction.flow = .call
        }
    }
}

/// A C array of characters, which Swift sees as a tuple, up to its NUL.
private func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

extension Register {
    /// Nil for capstone's "no register", 0.
    init?(capstone number: UInt32, _ handle: csh) {
        guard number != 0, let name = cs_reg_name(handle, number) else { return nil }
        self.init(String(cString: name))
    }
}
