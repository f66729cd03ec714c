// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

@Suite("Any bytes can be disassembled")
struct HostileBytesTests {
    @Test(
        "Random bytes give instructions made of these bytes, or none",
        arguments: Architecture.captured)
    func random(_ architecture: Architecture) {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 33
        }
        let disassembler = Disassembler(architecture)
        var found = 0
        for _ in 0..<20_000 {
            let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: next()) }
            let address = next()
            guard let instruction = disassembler.instruction(bytes[...], at: address) else {
                continue
            }
            found += 1
            #expect(instruction.bytes.elementsEqual(bytes.prefix(instruction.bytes.count)))
            var registers = X86Registers()
            registers.rax = next()
            for access in instruction.memoryAccesses {
                _ = access.operand.address(
                    in: .x86_64(registers), nextInstruction: instruction.nextAddress,
                    segmentBase: next())
            }
        }
        #expect(found > 1_000)
    }
}
