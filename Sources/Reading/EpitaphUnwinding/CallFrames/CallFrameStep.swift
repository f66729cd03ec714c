// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Steps to the caller by the rules of the image's call frame information. DWARF 5, 6.4.3.
struct CallFrameStep {
    enum Outcome {
        case frame(FrameState)
        case end
        case noMemory(UInt64)
        /// The rules need a register that is unknown.
        case noRegister
        case unusable
    }

    let roles: RegisterRoles
    let memory: CapturedMemory
    /// The bits of a return address that belong to the address.
    let addressMask: UInt64

    private typealias Failure = DWARFExpression.Failure

    func caller(
        of state: FrameState, _ rules: CallFrameRules, frameAddress known: UInt64? = nil
    ) -> Outcome {
        do throws(Failure) {
            let returnRule = rules.rule(for: rules.returnRegister)
            if returnRule == .undefined { return .end }
            // No function returns to where it is: a damaged table would lead up the stack for ever.
            if rules.returnRegister == roles.instructionPointer,
                returnRule == nil || returnRule == .sameValue
            {
                return .unusable
            }
            let frameAddress =
                if let known { known } else { try frameAddress(of: state, rules) }
            guard
                let returnAddress = try value(
                    rules.returnRegister, of: state, frameAddress, rules)
            else { return .noRegister }
            var caller = state
            caller.instructionPointer = returnAddress & addressMask
            caller.stackPointer = frameAddress
            caller.isStackPointerExact = true
            caller.isInterrupted = rules.isSignalFrame
            caller.isBehindInstruction = false
            caller.linkRegister = nil
            caller.others.keep(roles.preserved)
            for (number, rule) in rules.registers where number != roles.instructionPointer {
                set(number, to: try? apply(rule, number, of: state, frameAddress), &caller)
            }
            return .frame(caller)
        } catch {
            switch error {
            case .unknownRegister: return .noRegister
            case .noMemory(let address): return .noMemory(address)
            case .malformed: return .unusable
            }
        }
    }

    private func frameAddress(
        of state: FrameState, _ rules: CallFrameRules
    ) throws(Failure) -> UInt64 {
        switch rules.frameAddress {
        case .register(let number, let offset):
            if number == roles.framePointer, let known = frameAddressInEpilogue(state, rules) {
                return known
            }
            guard let base = state.register(number, roles) else { throw .unknownRegister }
            return base &+ UInt64(bitPattern: offset)
        case .expression(let bytes):
            return try DWARFExpression.evaluate(
                bytes, start: nil, in: state, roles: roles, memory: memory)
        }
    }

    /// An aarch64 function that has given x29 back to its caller, while GCC's table counts from x29
    /// until the epilogue's last instruction: "Emit delayed restores", aarch64_expand_epilogue in
    /// gcc/config/aarch64/aarch64.cc. Nil unless x29 is what the code has just loaded.
    private func frameAddressInEpilogue(_ state: FrameState, _ rules: CallFrameRules) -> UInt64? {
        guard roles.linkRegister != nil, state.isInterrupted, state.isStackPointerExact,
            case .offset(let offset)? = rules.rule(for: roles.framePointer)
        else { return nil }
        let place = state.instructionPointer
        for distance in stride(from: UInt64(4), through: 64, by: 4) where distance <= place {
            let code = memory.bytes(at: place - distance, count: 4).array
            let word = code.count == 4 ? code.littleEndian : 0
            // Branches and system instructions: Arm ARM, C4.1. 0 is none, and ends the search.
            guard word != 0, word & 0x1c00_0000 != 0x1400_0000 else { return nil }
            // ldp x29, x30, [sp, #n]: seven bits of words of 8 bytes.
            guard word & 0xffc0_7fff == 0xa940_7bfd else { continue }
            let words = Int64(Int32(truncatingIfNeeded: word << 10) >> 25)
            let saved = state.stackPointer &+ UInt64(bitPattern: words * 8)
            guard memory.stackWord(at: saved) == state.framePointer else { return nil }
            return saved &- UInt64(bitPattern: offset)
        }
        return nil
    }

    private func value(
        _ number: Int, of state: FrameState, _ frameAddress: UInt64, _ rules: CallFrameRules
    ) throws(Failure) -> UInt64? {
        guard let rule = rules.rule(for: number) else { return state.register(number, roles) }
        return try apply(rule, number, of: state, frameAddress)
    }

    private func apply(
        _ rule: CallFrameRules.RegisterRule, _ number: Int, of state: FrameState,
        _ frameAddress: UInt64
    ) throws(Failure) -> UInt64? {
        switch rule {
        case .undefined: return nil
        case .sameValue: return state.register(number, roles)
        case .offset(let offset):
            return try word(at: frameAddress &+ UInt64(bitPattern: offset))
        case .valueOffset(let offset): return frameAddress &+ UInt64(bitPattern: offset)
        case .register(let other): return state.register(other, roles)
        case .expression(let bytes):
            return try word(
                at: try DWARFExpression.evaluate(
                    bytes, start: frameAddress, in: state, roles: roles, memory: memory))
        case .valueExpression(let bytes):
            return try DWARFExpression.evaluate(
                bytes, start: frameAddress, in: state, roles: roles, memory: memory)
        }
    }

    private func word(at address: UInt64) throws(Failure) -> UInt64 {
        guard let word = memory.stackWord(at: address) else { throw .noMemory(address) }
        return word
    }

    private func set(_ number: Int, to value: UInt64??, _ state: inout FrameState) {
        let value = value ?? nil
        switch number {
        case roles.framePointer: state.framePointer = value
        case roles.linkRegister: state.linkRegister = value
        case roles.stackPointer: state.stackPointer = value ?? state.stackPointer
        default: state.others[number] = value
        }
    }
}

/// Steps to the caller with our reader, or libunwind where that gives none.
/// docs/decisions/unwinding.md
struct TableStep {
    let libunwind: LibunwindStep?
    let own: CallFrameStep

    func caller(of state: FrameState, at place: CodePlace) -> CallFrameStep.Outcome? {
        guard let rules = place.rules else { return nil }
        let outcome = own.caller(of: state, rules)
        switch outcome {
        case .frame, .end: return outcome
        case .noMemory, .noRegister, .unusable:
            // libunwind keeps rules by the address alone, and a function may begin, or be
            // interrupted, where another's last call returns to.
            guard !rules.isSignalFrame, !state.isInterrupted,
                let caller = libunwind?.caller(of: state, at: place)
            else { return outcome }
            return .frame(caller)
        }
    }
}
