// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Finds a caller where no unwind table does. Every return address it gives is executable and,
/// wherever the code can be read, behind a call instruction.
struct FallbackSteps {
    let memory: CapturedMemory
    let modules: LoadedModules
    let calls: CallInstruction
    let signals: SignalContext
    /// Bits of a return address that are an address; aarch64 may keep an authentication code in the
    /// others.
    let addressMask: UInt64

    /// After a jump to where no code is: the call pushed its return address, or left it in x30.
    func callerOfBadJump(_ state: FrameState) -> FrameState? {
        switch calls.architecture {
        case .x86_64:
            guard let address = memory.stackWord(at: state.stackPointer),
                isReturnAddress(address)
            else { return nil }
            var caller = state
            caller.instructionPointer = address
            caller.stackPointer = state.stackPointer &+ 8
            caller.isInterrupted = false
            caller.isBehindInstruction = false
            return caller
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

    /// A thread that was stopped inside a stub of the procedure linkage table has made no frame.
    func callerOfStub(_ state: FrameState) -> FrameState? {
        guard calls.architecture == .x86_64, state.isInterrupted,
            let pushed = LinkageStub(memory: memory).pushedWords(at: state.instructionPointer)
        else { return nil }
        let slot = state.stackPointer &+ pushed * 8
        guard let address = memory.stackWord(at: slot), isReturnAddress(address),
            calls.precedes(address) == .yes
        else { return nil }
        var caller = state
        caller.instructionPointer = address
        caller.stackPointer = slot &+ 8
        caller.isInterrupted = false
        caller.isBehindInstruction = false
        return caller
    }

    /// The caller of an aarch64 function that has no frame of its own: x30. Only where the symbols
    /// tell that x30 is not left over from a call this very function made.
    func callerOfLeaf(_ state: FrameState) -> FrameState? {
        guard calls.architecture == .aarch64, state.isInterrupted,
            let link = state.linkRegister.map({ $0 & addressMask }), link > 0,
            calls.precedes(link) == .yes, modules.isExecutable(link),
            let function = modules.functionStart(of: state.instructionPointer),
            let caller = modules.functionStart(of: link - 1), function != caller
        else { return nil }
        // A function that has set up its frame saved the same x30 in it; the chain gives it then.
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
        // makecontext(3) has a function return to the start of another.
        case .no where modules.isFunctionStart(address): break
        case .no: return nil
        case .yes: break
        // Without the code, the chain itself has to be the evidence.
        case .unknown: guard continues || next == 0 else { return nil }
        }
        return aboveSavedLink(
            FrameState(
                instructionPointer: address, stackPointer: record + 16,
                framePointer: continues || next == 0 ? next : nil))
    }

    /// On x86_64 the return address is the last word of a frame. On aarch64 it is somewhere in it,
    /// mostly at its lower end: rules that count from the stack pointer would then be led astray.
    func aboveSavedLink(_ caller: FrameState) -> FrameState {
        var caller = caller
        caller.isStackPointerExact = calls.architecture == .x86_64
        return caller
    }

    private func isReturnAddress(_ address: UInt64) -> Bool {
        modules.isExecutable(address) && canReturn(to: address) != .no
    }

    /// A call leaves an address behind itself; the kernel has signal handlers return where nobody
    /// called from.
    func canReturn(to address: UInt64) -> CallInstruction.Answer {
        signals.isReturnPath(address) ? .yes : calls.precedes(address)
    }
}
