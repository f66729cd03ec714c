// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues
import Testing

@Suite("x86_64 instructions taken apart")
struct X86InstructionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let text: String
        let address: UInt64?
        var reads = false
        var writes = false
        var byteCount: Int?
        var testDescription: String { text }
    }

    // The bytes are GNU as's.
    static let accesses = [
        Case(
            bytes: [0xc7, 0x40, 0x10, 5, 0, 0, 0], text: "mov dword ptr [rax + 0x10], 5",
            address: 0x1010, writes: true, byteCount: 4),
        Case(
            bytes: [0x48, 0x8b, 0x44, 0xcb, 0xf8], text: "mov rax, qword ptr [rbx + rcx*8 - 8]",
            address: 0x2000 + 3 * 8 - 8, reads: true, byteCount: 8),
        Case(
            bytes: [0x48, 0x8b, 0x05, 0x10, 0, 0, 0], text: "mov rax, qword ptr [rip + 0x10]",
            address: 0x40_1000 + 7 + 0x10, reads: true, byteCount: 8),
        Case(
            bytes: [0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0],
            text: "mov rax, qword ptr fs:[0x28]", address: 0x7000_0028, reads: true, byteCount: 8),
        Case(
            bytes: [0x67, 0x8b, 0x04, 0x0a], text: "mov eax, dword ptr [edx + ecx]",
            address: 0x8000_0003, reads: true, byteCount: 4),
        Case(
            bytes: [0xf0, 0xff, 0x07], text: "lock inc dword ptr [rdi]", address: 0x3000,
            reads: true, writes: true, byteCount: 4),
        Case(
            bytes: [0x8a, 0x24, 0x25, 0x10, 0, 0, 0], text: "mov ah, byte ptr [0x10]",
            address: 0x10,
            reads: true, byteCount: 1),
        Case(bytes: [0x55], text: "push rbp", address: 0x6ff8, writes: true, byteCount: 8),
        Case(bytes: [0x5d], text: "pop rbp", address: 0x7000, reads: true, byteCount: 8),
        Case(bytes: [0xc3], text: "ret", address: 0x7000, reads: true, byteCount: 8),
        Case(
            bytes: [0xe8, 0, 0, 0, 0], text: "call 0x401005", address: 0x6ff8, writes: true,
            byteCount: 8),
        Case(bytes: [0xc9], text: "leave", address: 0x5000, reads: true, byteCount: 8),
        Case(
            bytes: [0x41, 0xf7, 0x39], text: "idiv dword ptr [r9]", address: 0x9000, reads: true,
            byteCount: 4),
        Case(
            bytes: [0xc5, 0xfe, 0x7f, 0x07], text: "vmovdqu ymmword ptr [rdi], ymm0",
            address: 0x3000, writes: true, byteCount: 32),
        Case(
            bytes: [0x66, 0x0f, 0xe7, 0x00], text: "movntdq xmmword ptr [rax], xmm0",
            address: 0x1000, writes: true, byteCount: 16),
        Case(
            bytes: [0xdd, 0x18], text: "fstp qword ptr [rax]", address: 0x1000, writes: true,
            byteCount: 8),
        Case(
            bytes: [0xdd, 0x20], text: "frstor dword ptr [rax]", address: 0x1000, reads: true,
            byteCount: 4),
        Case(
            bytes: [0x0f, 0x92, 0x00], text: "setb byte ptr [rax]", address: 0x1000, writes: true,
            byteCount: 1),
        Case(
            bytes: [0xf0, 0x48, 0x0f, 0xb1, 0x18], text: "lock cmpxchg qword ptr [rax], rbx",
            address: 0x1000, reads: true, writes: true, byteCount: 8),
        Case(
            bytes: [0x48, 0xd3, 0x10], text: "rcl qword ptr [rax], cl", address: 0x1000,
            reads: true, writes: true, byteCount: 8),
        Case(
            bytes: [0x48, 0x39, 0x18], text: "cmp qword ptr [rax], rbx", address: 0x1000,
            reads: true, byteCount: 8),
        Case(
            bytes: [0x0f, 0xa3, 0x18], text: "bt dword ptr [rax], ebx", address: 0x1000,
            reads: true, byteCount: 4),
        Case(bytes: [0x48, 0x8d, 0x43, 0x08], text: "lea rax, [rbx + 8]", address: nil),
        Case(bytes: [0x0f, 0x1f, 0x40, 0x00], text: "nop dword ptr [rax]", address: nil),
        Case(bytes: [0xf3, 0x0f, 0xb8, 0xc1], text: "popcnt eax, ecx", address: nil),
    ]

    @Test("The memory an instruction uses is told with its address", arguments: accesses)
    func access(_ expected: Case) throws {
        let instruction = try #require(
            Disassembler(.x86_64).instruction(expected.bytes[...], at: 0x40_1000))
        #expect(instruction.text == expected.text)
        #expect(instruction.bytes == expected.bytes)
        let access = instruction.memoryAccesses.first
        let address = access?.operand.address(
            in: .x86_64(Self.registers), nextInstruction: instruction.nextAddress,
            segmentBase: 0x7000_0000)
        #expect(address == expected.address)
        #expect(access?.reads ?? false == expected.reads)
        #expect(access?.writes ?? false == expected.writes)
        #expect(access?.byteCount == expected.byteCount)
    }

    static let registers: X86Registers = {
        var registers = X86Registers()
        registers.rax = 0x1000
        registers.rbx = 0x2000
        registers.rcx = 3
        registers.rdx = 0xffff_ffff_8000_0000
        registers.rdi = 0x3000
        registers.rbp = 0x5000
        registers.rsp = 0x7000
        registers.r9 = 0x9000
        return registers
    }()

    @Test("A call through memory reads the pointer and writes the return address")
    func indirectCall() throws {
        let instruction = try #require(
            Disassembler(.x86_64).instruction([0xff, 0x50, 0x18], at: 0x40_1000))
        #expect(instruction.text == "call qword ptr [rax + 0x18]")
        #expect(instruction.flow == .call)
        #expect(instruction.memoryAccesses.map(\.reads) == [true, false])
        #expect(instruction.memoryAccesses.map(\.isImplied) == [false, true])
    }

    @Test("An address made of a register that is not known is not known")
    func unknownRegister() throws {
        let gather: [UInt8] = [0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x88]
        let instruction = try #require(Disassembler(.x86_64).instruction(gather[...], at: 0))
        let operand = try #require(instruction.memoryAccesses.first?.operand)
        #expect(operand.index?.name == "ymm1")
        #expect(
            operand.address(
                in: .x86_64(Self.registers), nextInstruction: 6, segmentBase: nil) == nil)
        #expect(instruction.features.contains("avx2"))
    }

    @Test(
        "Parts of registers have the part's value",
        arguments: [
            ("rax", 0x1122_3344_5566_7788), ("eax", 0x5566_7788), ("ax", 0x7788), ("al", 0x88),
            ("ah", 0x77), ("r9d", 0xddcc_bbaa), ("r9w", 0xbbaa), ("r9b", 0xaa), ("sil", 0x01),
        ] as [(String, UInt64)])
    func parts(name: String, value: UInt64) {
        var registers = X86Registers()
        registers.rax = 0x1122_3344_5566_7788
        registers.r9 = 0xffee_ffee_ddcc_bbaa
        registers.rsi = 0xff01
        #expect(Register(name).value(in: .x86_64(registers)) == value)
        #expect(Register("xmm0").value(in: .x86_64(registers)) == nil)
    }

    @Test("Privileged instructions are told apart")
    func privileged() {
        let disassembler = Disassembler(.x86_64)
        #expect(disassembler.instruction([0xf4], at: 0)?.isPrivileged == true)
        #expect(disassembler.instruction([0x90], at: 0)?.isPrivileged == false)
    }

    @Test("Bytes that are no instruction, or the start of one, give none")
    func noInstruction() {
        let disassembler = Disassembler(.x86_64)
        #expect(disassembler.instruction([0x06], at: 0) == nil)
        #expect(disassembler.instruction([0x48, 0x8b], at: 0) == nil)
        #expect(disassembler.instruction([], at: 0) == nil)
        #expect(disassembler.instructions([0x90, 0x90, 0x06, 0x90], at: .max).count == 2)
    }
}
