// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

/// What a function's code says of its frame.
struct FunctionCodeTests {
    /// DWARF numbers: psABI, figure 3.36.
    private static let stackPointer = 7
    private static let framePointer = 6

    @Test(
        "Code and unwind tables say the same of each call in the C library",
        .enabled(if: Machine.own == .x86_64, "other code"))
    func library() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Machine.own.libc))
        let image = try ELFImage(ByteSlice(Array(bytes)))
        var (same, unknown) = (0, 0)
        for (number, rows) in CallFrameTable(image).functions().enumerated() where number % 8 == 0 {
            // A part that was moved out of its function begins in the function's frame.
            guard let first = rows.first, case let range = first.rules.addressRange,
                first.rules.frameAddress == .register(Self.stackPointer, offset: 8),
                first.rules.rule(for: first.rules.returnRegister) != .undefined
            else { continue }
            let code = image.constantBytes(
                at: range.lowerBound, count: Int(range.upperBound - range.lowerBound)
            ).array
            let function = FunctionCode(code)
            var offset = 0
            while let instruction = X86Instruction(code, at: offset) {
                let place = range.lowerBound + UInt64(offset)
                let end = offset + instruction.length
                defer { offset = end }
                guard instruction.flow == .call else { continue }
                let frame = function.frame(beforeInstructionThatEndsAt: end)
                let rules = rows.last { $0.address <= place }?.rules
                guard case .register(let base, let distance) = rules?.frameAddress else { continue }
                let found =
                    base == Self.framePointer ? frame?.framePointer : frame?.stackPointer
                if let found {
                    #expect(found == distance, "the call at \(place.hex)")
                    same += 1
                } else {
                    unknown += 1
                }
            }
            #expect(offset == code.count, "the function at \(range.lowerBound.hex)")
        }
        #expect(same > 1_000)
        // What follows a call that does not return, such as that of abort(3).
        #expect(unknown < same / 50)
    }

    @Test("Code that ends too early or is none has no frame")
    func noCode() {
        // push %rbp; mov %rsp, %rbp; call
        let code: [UInt8] = [0x55, 0x48, 0x89, 0xe5, 0xe8, 1, 2, 3, 4]
        let frame = FunctionCode(code).frame(beforeInstructionThatEndsAt: 9)
        #expect(frame?.stackPointer == 16)
        #expect(frame?.framePointer == 16)
        for count in 0..<9 {
            let cut = FunctionCode(Array(code.prefix(count)))
            #expect(cut.frame(beforeInstructionThatEndsAt: 9) == nil)
        }
        // Not in 64-bit mode: Intel SDM 2, table A-2.
        #expect(X86Instruction([0x06, 0, 0, 0], at: 0) == nil)
    }

    @Test("A frame pointer that is stored stays; before a frame is made that saves the caller's")
    func storedFramePointer() {
        // sub $16, %rsp; mov %rbp, 8(%rsp); call
        let store: [UInt8] = [0x48, 0x83, 0xec, 16, 0x48, 0x89, 0x6c, 0x24, 8, 0xe8, 1, 2, 3, 4]
        let without = FunctionCode(store).frame(beforeInstructionThatEndsAt: 14)
        #expect(without?.stackPointer == 24)
        #expect(without?.saved[5] == -1)
        // push %rbp; mov %rsp, %rbp
        let code = [0x55, 0x48, 0x89, 0xe5] + store
        let frame = FunctionCode(code).frame(beforeInstructionThatEndsAt: 18)
        #expect(frame?.stackPointer == 32)
        #expect(frame?.framePointer == 16)
        #expect(frame?.saved[5] == 16)
    }
}
