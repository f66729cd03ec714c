// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphValues

/// Decodes machine code with capstone. Any bytes are accepted: undecodable ones, and other
/// processors, give nil. Not thread-safe.
package final class Disassembler {
    package let architecture: Architecture
    private var handle: epitaph_csh = 0
    private let isOpen: Bool

    /// If capstone cannot be opened, for example because it is not installed, all results are nil.
    package init(_ architecture: Architecture) {
        self.architecture = architecture
        switch architecture {
        case .x86_64: isOpen = epitaph_cs_open(CS_ARCH_X86, CS_MODE_64, &handle) == CS_ERR_OK
        case .aarch64:
            isOpen = epitaph_cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle) == CS_ERR_OK
        default: isOpen = false
        }
        // Without this, capstone leaves out operands and groups.
        if isOpen { epitaph_cs_option(handle, CS_OPT_DETAIL, Int(CS_OPT_ON.rawValue)) }
    }

    deinit {
        if isOpen { epitaph_cs_close(&handle) }
    }

    /// The instruction at the start of `bytes`, from `address`; nil if not one or cut.
    package func instruction(_ bytes: ArraySlice<UInt8>, at address: UInt64) -> DecodedInstruction?
    {
        guard isOpen, !bytes.isEmpty else { return nil }
        var decoded: UnsafeMutablePointer<epitaph_cs_insn>?
        let count = bytes.withUnsafeBufferPointer { buffer in
            epitaph_cs_disasm(handle, buffer.baseAddress, buffer.count, address, 1, &decoded)
        }
        guard count == 1, let decoded else { return nil }
        defer { epitaph_cs_free(decoded, count) }
        return instruction(decoded.pointee)
    }

    package func instructions(
        _ bytes: [UInt8], at address: UInt64, atMost limit: Int = .max
    ) -> [DecodedInstruction] {
        var found: [DecodedInstruction] = []
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

    private func instruction(_ decoded: epitaph_cs_insn) -> DecodedInstruction {
        let mnemonic = text(decoded.mnemonic)
        let operandText = text(decoded.op_str)
        let bytes = withUnsafeBytes(of: decoded.bytes) { Array($0.prefix(Int(decoded.size))) }
        var instruction = DecodedInstruction(
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

    private func readGroups(_ detail: epitaph_cs_detail, into instruction: inout DecodedInstruction)
    {
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
                if let name = epitaph_cs_group_name(handle, UInt32(group)) {
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

/// A C character array, imported as a tuple, up to its NUL.
private func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

extension Register {
    init?(capstone number: UInt32, _ handle: epitaph_csh) {
        guard number != 0, let name = epitaph_cs_reg_name(handle, number) else { return nil }
        self.init(String(cString: name))
    }
}
