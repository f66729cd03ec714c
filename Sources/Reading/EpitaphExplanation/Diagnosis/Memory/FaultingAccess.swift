// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct FaultingAccess {
    let access: MemoryAccess
    let address: UInt64
    let registers: RegisterSnapshot

    var parts: [(name: String, value: UInt64)] {
        access.operand.registers.compactMap { register in
            guard register.wholeName != "rip" else { return nil }
            return register.value(in: registers).map { (register.name, $0) }
        }
    }

    var direction: DeathReason.Access? {
        guard access.reads != access.writes else { return nil }
        return access.reads ? .read : .write
    }

    /// `rax + rcx*8 + 0x10`
    var expression: String {
        let operand = access.operand
        var text = operand.base?.name ?? ""
        if let index = operand.index {
            text += text.isEmpty ? index.name : " + \(index.name)"
            if operand.scale > 1 { text += "*\(operand.scale)" }
        }
        if let segment = operand.segment { text = "\(segment.name):\(text)" }
        guard operand.displacement != 0 || operand.registers.isEmpty else { return text }
        if text.isEmpty { return UInt64(bitPattern: operand.displacement).hex }
        let distance = operand.displacement.magnitude.hex
        if text.hasSuffix(":") { return text + distance }
        return text + (operand.displacement < 0 ? " - " : " + ") + distance
    }

    func evidence(_ instruction: DecodedInstruction) -> String {
        let values = parts.map { "\($0.name) is \($0.value.hex)" }
        let uses = "The instruction at fault is `\(instruction.text)`; it uses \(expression)"
        return ([uses] + values).joined(separator: ", ") + "."
    }
}

extension FaultingAccess {
    /// Nil if none of the instruction's accesses fits the address that the kernel reported.
    init?(
        _ instruction: DecodedInstruction, _ registers: RegisterSnapshot, at address: UInt64,
        of snapshot: ProcessSnapshot, segmentBase: UInt64?
    ) {
        let all = Self.all(instruction, registers, segmentBase: segmentBase)
        // The kernel clears a pointer's tag byte: Documentation/arm64/tagged-pointers.rst
        let mask: UInt64 = snapshot.architecture == .aarch64 ? 0xff_ffff_ffff_ffff : .max
        let found = all.first { candidate in
            let start = candidate.address & mask
            // DC ZVA clears the aligned block around the address.
            let before = instruction.mnemonic == "dc" ? start % 64 : 0
            let length = UInt64(candidate.access.byteCount ?? 64)
            return (address & mask) &- (start &- before) < length &+ before
        }
        guard let found else { return nil }
        self = found
    }

    static func all(
        _ instruction: DecodedInstruction, _ registers: RegisterSnapshot, segmentBase: UInt64?
    ) -> [FaultingAccess] {
        instruction.memoryAccesses.compactMap { access in
            let isThreadLocal = access.operand.segment?.name == "fs"
            let address = access.operand.address(
                in: registers, nextInstruction: instruction.nextAddress,
                segmentBase: isThreadLocal ? segmentBase : nil)
            return address.map {
                FaultingAccess(access: access, address: $0, registers: registers)
            }
        }
    }
}
