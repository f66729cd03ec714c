// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Finds callers without an unwind table.
struct FallbackSteps {
    let memory: CapturedMemory
    let modules: LoadedModules
    let calls: CallInstruction
    let signals: SignalContext
    /// Address bits of a return address; on aarch64 the others may hold an authentication code.
    let addressMask: UInt64

    /// After a jump to a place without code: the call pushed its return address, or left it in x30.
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

    /// The caller of a PLT stub; stubs make no frame.
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

    /// x30, if the symbols show that it is not left over from a call by this function.
    func callerOfLeaf(_ state: FrameState) -> FrameState? {
        guard calls.architecture == .aarch64, state.isInterrupted,
            let link = state.linkRegister.map({ $0 & addressMask }), link > 0,
            calls.precedes(link) == .yes, modules.isExecutable(link),
            let function = modules.functionStart(of: state.instructionPointer),
            let caller = modules.functionStart(of: link - 1), function != caller
        else { return nil }
        // A function with a frame saved the same x30 there; the frame pointer chain finds it.
        if let framePointer = state.framePointer,
            memory.stackWord(at: framePointer &+ 8).map({ $0 & addressMask }) == link
        {
            return nil
        }
        // It may have moved the stack pointer.
        return aboveSavedLink(
            FrameState(
                instructionPointer: link, stackPointer: state.stackPointer,
                framePointer: state.framePointer))
    }

    /// The frame record: the caller's frame pointer, then the return address, in both psABIs.
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
        // Without the code, the chain itself must be the evidence.
        case .unknown: guard continues || next == 0 else { return nil }
        }
        return aboveSavedLink(
            FrameState(
                instructionPointer: address, stackPointer: record + 16,
                framePointer: continues || next == 0 ? next : nil))
    }

    /// On x86_64 the return address is a frame's last word. On aarch64 it is inside, mostly at the
    /// lower end, where rules relative to the stack pointer would go wrong.
    func aboveSavedLink(_ caller: FrameState) -> FrameState {
        var caller = caller
        caller.isStackPointerExact = calls.architecture == .x86_64
        return caller
    }

    private func isReturnAddress(_ address: UInt64) -> Bool {
        modules.isExecutable(address) && canReturn(to: address) != .no
    }

    /// Signal handlers return to code that was not called.
    func canReturn(to address: UInt64) -> CallInstruction.Answer {
        signals.isReturnPath(address) ? .yes : calls.precedes(address)
    }

    /// Code of the C library that calls main or a thread's function and ends with its result: mov
    /// %eax, %edi or mov %rax, %rdi; call exit. That of musl has no tables, and is jumped to.
    func isLibraryStart(_ state: FrameState) -> Bool {
        let address = state.instructionPointer
        guard !state.isInterrupted, let module = modules.module(at: address),
            let exports = module.exports
        else { return false }
        let code = memory.bytes(at: address, count: 3).array
        // On aarch64 the result is where the argument goes.
        let call: UInt64? =
            calls.architecture == .aarch64
            ? 4 : code.starts(with: [0x89, 0xc7]) ? 7 : code == [0x48, 0x89, 0xc7] ? 8 : nil
        guard let call, let target = calls.directTarget(returningTo: address &+ call)
        else { return false }
        return ["exit", "pthread_exit"].contains {
            exports.function(named: $0).map { $0.address &+ module.loadBias } == target
        }
    }
}
