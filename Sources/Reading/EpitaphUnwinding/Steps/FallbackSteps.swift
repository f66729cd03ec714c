// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Finds a caller without an unwind table. Every return address it returns is executable
/// and, if the code can be read, behind a call instruction.
struct FallbackSteps {
    let memory: CapturedMemory
    let modules: LoadedModules
    let calls: CallInstruction
    let signals: SignalContext
    /// The bits of a return address that belong to the address; on aarch64 the others may hold an
    /// authentication code.
    let addressMask: UInt64

    /// After a jump to an address without code: the call pushed its return address, or left it in
    /// x30.
    func callerOfBadJump(_ state: FrameState) -> FrameState? {
        switch calls.architecture {
        case .x86_64:
            guard let address = memory.stackWord(at: state.stackPointer),
                isReturnAddress(address)
            else { return nil }
            return state.returned(to: address, stackPointer: state.stackPointer &+ 8)
        case .aarch64:
            guard let link = state.linkRegister, isReturnAddress(link & addressMask) else {
                return nil
            }
            return FrameState(
                instructionPointer: link & addressMask, stackPointer: state.stackPointer,
                framePointer: state.framePointer)
        default: return nil
        }
    }

    /// A thread that was stopped inside a stub of the procedure linkage table; stubs make no frame.
    func callerOfStub(_ state: FrameState) -> FrameState? {
        guard calls.architecture == .x86_64, state.isInterrupted,
            let pushed = LinkageStub(memory: memory).pushedWords(at: state.instructionPointer)
        else { return nil }
        let slot = state.stackPointer &+ pushed * 8
        guard let address = memory.stackWord(at: slot), isReturnAddress(address),
            calls.precedes(address) == .yes
        else { return nil }
        return state.returned(to: address, stackPointer: slot &+ 8)
    }

    /// The caller of an aarch64 function that has no frame of its own: x30. Only if the symbols
    /// show that x30 is not left over from a call that this very function made.
    func callerOfLeaf(_ state: FrameState) -> FrameState? {
        guard calls.architecture == .aarch64, state.isInterrupted,
            let link = state.linkRegister.map({ $0 & addressMask }), link > 0,
            calls.precedes(link) == .yes, modules.isExecutable(link),
            let function = modules.functionStart(of: state.instructionPointer),
            let caller = modules.functionStart(of: link - 1), function != caller
        else { return nil }
        // A function that has made its frame saved the same x30 there, and the frame pointer chain
        // finds it.
        if let framePointer = state.framePointer,
            memory.stackWord(at: framePointer &+ 8).map({ $0 & addressMask }) == link
        {
            return nil
        }
        return FrameState(
            instructionPointer: link, stackPointer: state.stackPointer,
            framePointer: state.framePointer)
    }

    /// The frame record at the frame pointer: the caller's frame pointer and the return address.
    /// Both psABIs have them in this order.
    func framePointerStep(_ state: FrameState) -> FrameState? {
        guard let record = state.framePointer, record % 8 == 0, record >= state.stackPointer,
            record < .max - 16, let next = memory.stackWord(at: record),
            let saved = memory.stackWord(at: record + 8)
        else { return nil }
        let address = saved & addressMask
        guard modules.isExecutable(address) else { return nil }
        let continues = next > record && memory.stackWord(at: next) != nil
        switch canReturn(to: address) {
        // makecontext(3) makes a function return to the start of another.
        case .no where modules.isFunctionStart(address): break
        case .no: return nil
        case .yes: break
        // The code is not known, so the chain itself must be the evidence.
        case .unknown: guard continues || next == 0 else { return nil }
        }
        return aboveSavedLink(
            FrameState(
                instructionPointer: address, stackPointer: record + 16,
                framePointer: continues || next == 0 ? next : nil))
    }

    /// On x86_64 the return address is the last word of a frame. On aarch64 it is somewhere inside,
    /// mostly at the lower end, where rules relative to the stack pointer would go wrong.
    func aboveSavedLink(_ caller: FrameState) -> FrameState {
        var caller = caller
        caller.isStackPointerExact = calls.architecture == .x86_64
        return caller
    }

    private func isReturnAddress(_ address: UInt64) -> Bool {
        modules.isExecutable(address) && canReturn(to: address) != .no
    }

    /// A call leaves the address behind itself; the kernel makes signal handlers return to code
    /// that was not called.
    func canReturn(to address: UInt64) -> CallInstruction.Answer {
        signals.isReturnPath(address) ? .yes : calls.precedes(address)
    }
}
