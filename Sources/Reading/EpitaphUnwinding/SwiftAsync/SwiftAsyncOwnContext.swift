// SPDX-License-Identifier: Apache-2.0

/// Finds the context of a frame's async function. The frame may also hold a callee's, which would
/// show the function as its own caller; if in doubt, it is the callee's.
struct SwiftAsyncOwnContext {
    /// An `await` this early may not have stored its own context yet.
    private static let earlyBytes: UInt64 = 96
    /// More than the stack of a function without a frame pointer has.
    private static let frameWordLimit: UInt64 = 256

    let frames: [StackFrame]
    let index: Int
    let function: SwiftAsyncFunctions.Function
    let chain: SwiftAsyncChain

    private var frame: StackFrame { frames[index] }

    /// - Parameter registers: called when needed; returns nil if unknown.
    func find(registers: () -> SwiftAsyncRegisters?) -> UInt64? {
        if let prologue = function.prologue {
            if isInterrupted, distance < prologue.byteCount {
                return registers()?.context.flatMap(read).map(entered)
            }
            return inFrame(prologue)
        }
        guard let registers = registers() else { return nil }
        if let context = registers.context.flatMap(plausible) {
            guard isLoadedBeforehand else { return context.address }
            return isOfCallee(context).map { $0 ? context.parent : context.address }
        }
        return onlyCandidate(among: registers.others + frameWords)
    }

    /// Otherwise the instruction pointer is a return address.
    private var isInterrupted: Bool { frame.lookupAddress == frame.instructionPointer }

    private var distance: UInt64 { frame.lookupAddress &- function.start }

    private func inFrame(_ prologue: SwiftAsyncPrologue) -> UInt64? {
        // Only these two give the exact stack pointer at the call.
        let caller = frames[index + 1]
        guard caller.foundBy == .unwindTable || caller.foundBy == .framePointer else { return nil }
        let slot = caller.stackPointer &- prologue.contextDistance
        guard let address = chain.memory.stackWord(at: slot) else { return nil }
        guard isInterrupted, distance < Self.earlyBytes, let context = read(address) else {
            return address
        }
        return entered(with: context)
    }

    private func entered(with context: SwiftAsyncContext) -> UInt64 {
        let caller = chain.functions.function(at: context.resumeAddress)
        return caller?.body == function.body ? context.parent : context.address
    }

    private func read(_ address: UInt64) -> SwiftAsyncContext? {
        SwiftAsyncContext(at: address, in: chain.memory, addressMask: chain.addressMask)
    }

    private func plausible(_ address: UInt64) -> SwiftAsyncContext? {
        guard let context = read(address) else { return nil }
        if case .unknown = chain.resumePoint(context) { return nil }
        return context
    }

    private func onlyCandidate(among words: [UInt64]) -> UInt64? {
        let contexts = Set(words).compactMap(plausible)
        let found = Set(
            contexts.map { context in
                isOfCallee(context).map { $0 ? context.parent : context.address }
            })
        return found.count == 1 ? found.first ?? nil : nil
    }

    /// True if the context returns into the running function, so is a callee's; nil without names.
    private func isOfCallee(_ context: SwiftAsyncContext) -> Bool? {
        guard let own = function.name else { return nil }
        guard case .function(let caller) = chain.resumePoint(context) else { return false }
        return caller.name.map { $0.function == own.function }
    }

    private var frameWords: [UInt64] {
        let end = frames[index + 1].stackPointer &- 8
        let count = min((end &- frame.stackPointer) / 8, Self.frameWordLimit)
        guard end > frame.stackPointer else { return [] }
        return (0..<count).compactMap {
            chain.memory.stackWord(at: frame.stackPointer &+ $0 &* 8)
        }
    }

    /// True if code so far may have overwritten r14. Looks at bytes: true when in doubt.
    private var isLoadedBeforehand: Bool {
        guard distance < 1 << 16, chain.functions.architecture == .x86_64 else { return true }
        let code = chain.memory.bytes(at: function.start, count: Int(distance)).array
        guard code.count == Int(distance) else { return true }
        return code.indices.dropLast(2).contains { Self.loadsR14(code[$0..<$0 + 3]) }
    }

    // Intel SDM 2A, 2.1.5 and 2.2.1: mov to r14 is 8B /6 with REX.R, or 89 to operand 6 with REX.B.
    private static func loadsR14(_ code: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(code)
        let (rex, operation, operand) = (bytes[0], bytes[1], bytes[2])
        guard rex & 0xf8 == 0x48 else { return false }
        if operation == 0x8b { return rex & 4 != 0 && operand >> 3 & 7 == 6 }
        return operation == 0x89 && rex & 1 != 0 && operand & 0xc7 == 0xc6
    }
}
