// SPDX-License-Identifier: Apache-2.0

/// Of x86_64. Intel SDM 2, 2.1 to 2.3 and appendix A.
extension CodeInstruction {
    private static let stackPointer = 4
    private static let framePointer = 5

    init?(x86 code: [UInt8], at start: Int) {
        var form = X86Form(code, at: start)
        guard form.read() else { return nil }
        length = form.next - start
        switch form.map {
        case .one: readOneByte(form)
        case .two: readTwoByte(form)
        case .other: break
        }
    }

    private mutating func readOneByte(_ form: X86Form) {
        switch form.opcode {
        case 0x50...0x57: effect = form.isShort ? .loseStack : .push(form.opcodeRegister)
        case 0x58...0x5f: pop(form.isShort ? nil : form.opcodeRegister, isShort: form.isShort)
        case 0x68, 0x6a, 0x9c: effect = form.isShort ? .loseStack : .push(nil)
        case 0x9d: pop(nil, isShort: form.isShort)
        case 0x8f: pop(form.rmRegister, isShort: form.isShort)
        case 0x70...0x7f, 0xe0...0xe3: flow = .branch(form.next + Int(form.immediate))
        case 0xe9, 0xeb: flow = .jump(form.next + Int(form.immediate))
        // A call of the next instruction only pushes its address.
        case 0xe8 where form.immediate == 0: effect = .push(nil)
        case 0xe8: flow = .call
        case 0xc2, 0xc3, 0xca, 0xcb, 0xcf, 0xf4: flow = .end
        // A trap: compilers put it where nothing goes on.
        case 0xcc: flow = .end
        case 0xc8: effect = .loseStack
        case 0xc9: effect = .leave
        case 0xff: readGroup5(form)
        case 0x81, 0x83: readConstant(form)
        case 0x89: move(to: form.rmRegister, from: form.reg, form)
        case 0x8b: move(to: form.reg, from: form.rmRegister, form)
        case 0x8d: loadAddress(form)
        case 0x87: change(form.reg, form.rmRegister)
        case 0x63, 0x69, 0x6b: change(form.reg)
        // add, or, adc, sbb, and, sub, xor, cmp: to r/m or to the register.
        case 0x00...0x37 where form.opcode & 7 == 1 || form.opcode & 7 == 3:
            change(form.opcode & 2 == 0 ? form.rmRegister : form.reg)
        case 0xb8...0xbf: change(form.opcodeRegister)
        case 0x91...0x97: change(form.opcodeRegister)
        case 0x90: isPadding = true
        case 0xc1, 0xc7, 0xd1, 0xd3: change(form.rmRegister)
        case 0xf7 where form.reg & 7 == 2 || form.reg & 7 == 3: change(form.rmRegister)
        default: break
        }
    }

    private mutating func readTwoByte(_ form: X86Form) {
        switch form.opcode {
        case 0x80...0x8f: flow = .branch(form.next + Int(form.immediate))
        // ud2, ud1, ud0
        case 0x0b, 0xb9, 0xff: flow = .end
        case 0xa0, 0xa8: effect = .push(nil)
        case 0xa1, 0xa9: pop(nil, isShort: form.isShort)
        case 0x1e, 0x1f: isPadding = form.opcode == 0x1f
        // cmov, imul, movzx, movsx, bsf, bsr, popcnt
        case 0x40...0x4f, 0xaf, 0xb6...0xb8, 0xbc...0xbf: change(form.reg)
        case 0xc8...0xcf: change(form.opcodeRegister)
        // movd, movq to a register
        case 0x7e where form.hasSizePrefix: change(form.rmRegister)
        default: break
        }
    }

    private mutating func readGroup5(_ form: X86Form) {
        switch form.reg & 7 {
        case 0, 1: change(form.rmRegister)
        case 2, 3: flow = .call
        case 4, 5: flow = .indirectJump
        default: effect = form.isShort ? .loseStack : .push(nil)
        }
    }

    /// add, or, adc, sbb, and, sub, xor, cmp with a constant.
    private mutating func readConstant(_ form: X86Form) {
        guard form.reg & 7 != 7, let register = form.rmRegister else { return }
        guard register == Self.stackPointer, form.isLong else {
            change(register)
            return
        }
        switch form.reg & 7 {
        case 0: effect = .moveStack(form.immediate)
        case 5: effect = .moveStack(-form.immediate)
        case 4 where form.immediate < 0 && (-form.immediate).nonzeroBitCount == 1:
            effect = .align(-form.immediate)
        // or $0, (%rsp) has no register
        default: effect = .loseStack
        }
    }

    private mutating func move(to target: Int?, from source: Int?, _ form: X86Form) {
        switch (target, source) {
        case (Self.framePointer, Self.stackPointer) where form.isLong: effect = .makeFrame(0)
        case (Self.stackPointer, Self.framePointer) where form.isLong: effect = .returnToFrame(0)
        case (nil, Self.framePointer) where form.base == Self.stackPointer && form.isLong:
            effect = .storeFramePointer
        default: change(target)
        }
    }

    private mutating func loadAddress(_ form: X86Form) {
        let isPlain = form.isLong && !form.hasIndex && form.rmRegister == nil
        switch (form.reg, form.base) {
        case (Self.stackPointer, Self.stackPointer) where isPlain:
            effect = .moveStack(form.displacement)
        case (Self.stackPointer, Self.framePointer) where isPlain:
            effect = .returnToFrame(form.displacement)
        case (Self.framePointer, Self.stackPointer) where isPlain:
            effect = .makeFrame(form.displacement)
        default: change(form.reg)
        }
    }

    private mutating func pop(_ register: Int?, isShort: Bool) {
        effect = isShort || register == Self.stackPointer ? .loseStack : .pop(register)
    }

    private mutating func change(_ registers: Int?...) {
        if registers.contains(Self.stackPointer) {
            effect = .loseStack
        } else if registers.contains(Self.framePointer) {
            effect = .changeFramePointer
        }
    }
}
