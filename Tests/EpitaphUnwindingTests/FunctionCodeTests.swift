// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// What a function's code says of its frame.
struct FunctionCodeTests {
    /// DWARF numbers: psABI, figure 3.36; ABI for the Arm 64-bit architecture, DWARF, 4.1.
    private static let numbers: [Machine: (stackPointer: Int, framePointer: Int, link: Int?)] = [
        .x86_64: (7, 6, nil), .aarch64: (31, 29, 30),
    ]

    @Test(
        "Code and unwind tables say the same of each call in the C library",
        arguments: [Machine.x86_64, .aarch64])
    func library(machine: Machine) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: machine.libc))
        let image = try ELFImage(ByteSlice(Array(bytes)))
        let architecture = machine == .x86_64 ? Architecture.x86_64 : .aarch64
        let numbers = try #require(Self.numbers[machine])
        let isX86 = machine == .x86_64
        var (same, unknown, links) = (0, 0, 0)
        for (number, rows) in CallFrameTable(image).functions().enumerated() where number % 8 == 0 {
            // A part that was moved out of its function begins in the function's frame.
            guard let first = rows.first, case let range = first.rules.addressRange,
                first.rules.frameAddress
                    == .register(numbers.stackPointer, offset: isX86 ? 8 : 0),
                first.rules.rule(for: first.rules.returnRegister) != .undefined
            else { continue }
            let code = image.constantBytes(
                at: range.lowerBound, count: Int(range.upperBound - range.lowerBound)
            ).array
            let function = FunctionCode(code, architecture)
            var offset = 0
            while let instruction = CodeInstruction(code, at: offset, architecture) {
                let place = range.lowerBound + UInt64(offset)
                let end = offset + instruction.length
                defer { offset = end }
                guard instruction.flow == .call else { continue }
                let frame = function.frame(beforeInstructionThatEndsAt: end)
                let rules = rows.last { $0.address <= place }?.rules
                guard case .register(let base, let distance) = rules?.frameAddress else { continue }
                let found =
                    base == numbers.framePointer ? frame?.framePointer : frame?.stackPointer
                if let found {
                    #expect(found == distance, "the call at \(place.hex)")
                    same += 1
                } else {
                    unknown += 1
                }
                if let link = numbers.link, found != nil, let frame, frame.saved[11] > 0 {
                    let rule = rules?.rule(for: link)
                    #expect(rule == .offset(-Int64(frame.saved[11])), "x30 at \(place.hex)")
                    links += 1
                }
            }
            #expect(offset == code.count, "the function at \(range.lowerBound.hex)")
        }
        #expect(same > 1_000)
        if !isX86 { #expect(links > same * 9 / 10) }
        // What follows a call that does not return, such as that of abort(3).
        #expect(unknown < same / 50)
    }

    @Test("Code that ends too early or is none has no frame")
    func noCode() {
        // push %rbp; mov %rsp, %rbp; call
        let code: [UInt8] = [0x55, 0x48, 0x89, 0xe5, 0xe8, 1, 2, 3, 4]
        let frame = FunctionCode(code, .x86_64).frame(beforeInstructionThatEndsAt: 9)
        #expect(frame?.stackPointer == 16)
        #expect(frame?.framePointer == 16)
        for count in 0..<9 {
            let cut = FunctionCode(Array(code.prefix(count)), .x86_64)
            #expect(cut.frame(beforeInstructionThatEndsAt: 9) == nil)
        }
        // Not in 64-bit mode: Intel SDM 2, table A-2.
        #expect(CodeInstruction([0x06, 0, 0, 0], at: 0, .x86_64) == nil)
    }

    @Test("A frame pointer that is stored stays; before a frame is made that saves the caller's")
    func storedFramePointer() {
        // sub $16, %rsp; mov %rbp, 8(%rsp); call
        let store: [UInt8] = [0x48, 0x83, 0xec, 16, 0x48, 0x89, 0x6c, 0x24, 8, 0xe8, 1, 2, 3, 4]
        let without = FunctionCode(store, .x86_64).frame(beforeInstructionThatEndsAt: 14)
        #expect(without?.stackPointer == 24)
        #expect(without?.saved[5] == -1)
        // push %rbp; mov %rsp, %rbp
        let code = [0x55, 0x48, 0x89, 0xe5] + store
        let frame = FunctionCode(code, .x86_64).frame(beforeInstructionThatEndsAt: 18)
        #expect(frame?.stackPointer == 32)
        #expect(frame?.framePointer == 16)
        #expect(frame?.saved[5] == 16)
    }
}
