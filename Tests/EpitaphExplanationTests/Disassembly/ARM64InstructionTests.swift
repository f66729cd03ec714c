// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

@Suite("aarch64 instructions taken apart")
struct ARM64InstructionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let word: UInt32
        let text: String
        let address: UInt64?
        var reads = false
        var writes = false
        var testDescription: String { text }
    }

    // The words are GNU as's.
    static let accesses = [
        Case(word: 0xf940_0820, text: "ldr x0, [x1, #0x10]", address: 0x1010, reads: true),
        Case(word: 0xb900_005f, text: "str wzr, [x2]", address: 0x2000, writes: true),
        Case(word: 0xf862_7820, text: "ldr x0, [x1, x2, lsl #3]", address: 0x11000, reads: true),
        Case(
            word: 0xb863_d820, text: "ldr w0, [x1, w3, sxtw #2]", address: 0x1000 - 8, reads: true),
        Case(word: 0xf840_8420, text: "ldr x0, [x1], #8", address: 0x1000, reads: true),
        Case(word: 0xf840_8c20, text: "ldr x0, [x1, #8]!", address: 0x1008, reads: true),
        Case(
            word: 0xa9bf_7bfd, text: "stp x29, x30, [sp, #-0x10]!", address: 0x6ff0, writes: true),
        Case(word: 0x5800_0040, text: "ldr x0, #0x401008", address: 0x40_1008, reads: true),
        Case(word: 0xc85f_7c20, text: "ldxr x0, [x1]", address: 0x1000, reads: true),
        Case(word: 0xc800_7c22, text: "stxr w0, x2, [x1]", address: 0x1000, writes: true),
        Case(word: 0xd50b_7421, text: "dc zva, x1", address: 0x1000, writes: true),
        Case(word: 0x9100_4020, text: "add x0, x1, #0x10", address: nil),
    ]

    @Test("The memory an instruction uses is told with its address", arguments: accesses)
    func access(_ expected: Case) throws {
        let bytes = withUnsafeBytes(of: expected.word.littleEndian) { Array($0) }
        let instruction = try #require(
            Disassembler(.aarch64).instruction(bytes[...], at: 0x40_1000))
        #expect(instruction.text == expected.text)
        var registers = ARM64Registers()
        registers.x[1] = 0x1000
        registers.x[2] = 0x2000
        registers.x[3] = 0xffff_fffe
        registers.sp = 0x7000
        let access = instruction.memoryAccesses.first
        let address = access?.operand.address(
            in: .aarch64(registers), nextInstruction: instruction.nextAddress, segmentBase: nil)
        #expect(address == expected.address)
        #expect(access?.reads ?? false == expected.reads)
        #expect(access?.writes ?? false == expected.writes)
    }

    @Test(
        "Where an instruction leads is told",
        arguments: [
            (0xd63f_0000, .call), (0x9400_0004, .call), (0xd61f_0000, .jump),
            (0xd65f_03c0, .return), (0xd503_201f, .next),
        ] as [(UInt32, DecodedInstruction.Flow)])
    func flow(word: UInt32, expected: DecodedInstruction.Flow) {
        let bytes = withUnsafeBytes(of: word.littleEndian) { Array($0) }
        #expect(Disassembler(.aarch64).instruction(bytes[...], at: 0)?.flow == expected)
    }
}
