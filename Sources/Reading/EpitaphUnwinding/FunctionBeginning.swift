// SPDX-License-Identifier: Apache-2.0

/// Finds the caller of an x86_64 function that was stopped before it made its frame, or that makes
/// none: the frame pointer there is the caller's, so following it would skip the caller.
extension FallbackSteps {
    /// A function makes its frame within its first bytes, this many.
    private static let beginningBytes: UInt64 = 64
    /// mov %rsp, %rbp
    private static let makesFrame: [UInt8] = [0x48, 0x89, 0xe5]

    /// The proof is the call itself: the word at the stack pointer is a return address, and the
    /// call before it leads to just before the instruction pointer.
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
            if pushed { caller.framePointer = memory.stackWord(at: state.stackPointer) }
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
