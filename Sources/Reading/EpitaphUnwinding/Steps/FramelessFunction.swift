// SPDX-License-Identifier: Apache-2.0

/// The caller of an x86_64 function without frame and unwind table, like much hand-written
/// assembly. Its frame pointer is the caller's; following it would skip the caller.
extension FallbackSteps {
    /// Bytes of a function's code that are examined.
    private static let reachBytes: UInt64 = 4096

    /// The word at the stack pointer must be behind a call of the running function, and past the
    /// function's start no code may have moved the stack pointer.
    func callerOfFramelessFunction(_ state: FrameState) -> FrameState? {
        guard calls.architecture == .x86_64, state.isInterrupted,
            let address = memory.stackWord(at: state.stackPointer),
            modules.isExecutable(address), calls.precedes(address) == .yes,
            isCallOfFunction(at: state.instructionPointer, returningTo: address)
        else { return nil }
        return FrameState(
            instructionPointer: address, stackPointer: state.stackPointer &+ 8,
            framePointer: state.framePointer)
    }

    private func isCallOfFunction(at place: UInt64, returningTo address: UInt64) -> Bool {
        let start = modules.functionStart(of: place)
        // After a call through a register or of a stub, any function may be running.
        if let target = calls.directTarget(returningTo: address),
            LinkageStub(memory: memory).pushedWords(at: target) == nil
        {
            if let start {
                return start == target && !StackPointerMoves.inFrame(code(start, place))
            }
            return !StackPointerMoves.mayBe(in: code(target, place))
        }
        guard let start, start != modules.functionStart(of: address - 1) else { return false }
        return !StackPointerMoves.mayBe(in: code(start, place))
    }

    private func code(_ start: UInt64, _ place: UInt64) -> [UInt8]? {
        guard start <= place, place - start < Self.reachBytes else { return nil }
        let bytes = memory.bytes(at: start, count: Int(place - start)).array
        return bytes.count == Int(place - start) ? bytes : nil
    }
}

/// Without decoding: any byte that could begin a move counts. Intel SDM 2B to 2D.
private enum StackPointerMoves {
    /// mov %rsp, %rbp follows a push.
    static func inFrame(_ code: [UInt8]?) -> Bool {
        guard let code else { return true }
        return code.indices.dropLast(2).contains {
            code[$0] == 0x48 && code[$0 + 1] == 0x89 && code[$0 + 2] == 0xe5
        }
    }

    static func mayBe(in code: [UInt8]?) -> Bool {
        guard let code else { return true }
        return code.indices.contains { index in
            let next = index + 1 < code.count ? code[index + 1] : 0
            switch code[index] {
            // push and pop of a register, of a constant, of flags; pop of memory
            case 0x50...0x5f, 0x68, 0x6a, 0x9c, 0x9d, 0x8f: return true
            // enter, leave, call
            case 0xc8, 0xc9, 0xe8: return true
            // push or call with an operand: FF /2, /6
            case 0xff: return next >> 3 & 7 == 2 || next >> 3 & 7 == 6
            // add, or, and, sub, … of a constant, mov, xchg to rsp: ModR/M type 3
            case 0x81, 0x83, 0x89, 0x87, 0x01, 0x29: return next >> 6 == 3 && next & 7 == 4
            // mov, lea, add, sub that write rsp
            case 0x8b, 0x8d, 0x03, 0x2b: return next >> 3 & 7 == 4
            default: return false
            }
        }
    }
}

/// The caller of an x86_64 function stopped before it made its frame, or making none. Its frame
/// pointer is the caller's; following it would skip the caller.
extension FallbackSteps {
    /// A function makes its frame within this many bytes.
    private static let beginningBytes: UInt64 = 64
    /// push %rbp
    private static let pushesFramePointer: UInt8 = 0x55
    /// mov %rsp, %rbp
    private static let makesFrame: [UInt8] = [0x48, 0x89, 0xe5]

    /// The word at the stack pointer must be the return address of a call to this code.
    func callerBeforeFrame(_ state: FrameState) -> FrameState? {
        guard calls.architecture == .x86_64, state.isInterrupted else { return nil }
        for pushed in [false, true] {
            let slot = state.stackPointer &+ (pushed ? 8 : 0)
            guard let address = memory.stackWord(at: slot), modules.isExecutable(address),
                let start = calls.directTarget(returningTo: address),
                start <= state.instructionPointer,
                state.instructionPointer - start < Self.beginningBytes
            else { continue }
            let length = Int(state.instructionPointer - start)
            let code = memory.bytes(at: start, count: length).array
            guard code.count == length, !Self.makesFrame.isContained(in: code) else { continue }
            var caller = FrameState(
                instructionPointer: address, stackPointer: slot &+ 8,
                framePointer: state.framePointer)
            // It may also have made room, or pushed another register.
            if pushed, code.contains(Self.pushesFramePointer) {
                caller.framePointer = memory.stackWord(at: state.stackPointer)
            }
            return caller
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate func isContained(in bytes: [UInt8]) -> Bool {
        guard bytes.count >= count else { return false }
        return (0...bytes.count - count).contains { bytes[$0..<$0 + count].elementsEqual(self) }
    }
}
