// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

extension FaultingCode {
    static let instructionsBefore = 6
    static let instructionsAfter = 5
    private static let furthestStart: UInt64 = 1 << 16

    static func around(
        _ address: UInt64, architecture: Architecture, memory: ReadableMemory,
        functionStart: UInt64?
    ) -> (code: FaultingCode, instruction: DecodedInstruction)? {
        let disassembler = Disassembler(architecture)
        let following = disassembler.instructions(
            memory.bytes(at: address, atMost: 16 * (instructionsAfter + 1)), at: address,
            atMost: instructionsAfter + 1)
        guard let atFault = following.first else { return nil }
        let function = memory.functionRange(of: address)
        let start = functionStart ?? function?.lowerBound
        let preceding = instructions(before: address, from: start, disassembler, memory)
        // Another function or padding follows.
        let end = function?.upperBound ?? .max
        let own = following.prefix { $0.address == address || $0.address < end }
        let instructions = (preceding + own).map { instruction in
            FaultingCode.Instruction(
                address: instruction.address, bytes: instruction.bytes, text: instruction.text,
                isAtFault: instruction.address == address)
        }
        return (FaultingCode(instructions: instructions), atFault)
    }

    /// x86_64 instructions vary in length: only decoding from the function's start is reliable.
    private static func instructions(
        before address: UInt64, from functionStart: UInt64?, _ disassembler: Disassembler,
        _ memory: ReadableMemory
    ) -> [DecodedInstruction] {
        let start: UInt64
        if disassembler.architecture == .aarch64 {
            // All instructions have four bytes: Arm ARM, B2.1.
            let length = UInt64(4 * instructionsBefore)
            guard address % 4 == 0, address >= length else { return [] }
            let first = functionStart ?? 0
            start = max(address - length, min(first, address))
        } else {
            guard let first = functionStart, first <= address,
                address - first <= furthestStart
            else { return [] }
            start = first
        }
        let length = Int(clamping: address - start)
        let bytes = memory.bytes(at: start, atMost: length)
        guard bytes.count == length else { return [] }
        let instructions = disassembler.instructions(bytes, at: start)
        guard (instructions.last?.nextAddress ?? start) == address else { return [] }
        return instructions.suffix(instructionsBefore)
    }
}
