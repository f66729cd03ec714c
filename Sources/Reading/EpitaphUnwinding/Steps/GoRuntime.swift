// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What Go's runtime puts on stacks without a call, and its own tracebacks know (runtime/traceback.go).
struct GoRuntime {
    let modules: LoadedModules
    let architecture: Architecture

    /// A goroutine's first function returns behind the first instruction of goexit, which nothing
    /// calls: runtime/proc.go, newproc1.
    func isEndOfGoroutine(_ returnAddress: UInt64) -> Bool {
        let first: UInt64 = architecture == .aarch64 ? 4 : 1
        return returnAddress > first
            && function(at: returnAddress - first, isAtStart: true) == "runtime.goexit"
    }

    /// The handler of a fault makes it look as if the faulting instruction had called sigpanic:
    /// runtime/signal_amd64.go and signal_arm64.go, preparePanic.
    func isCalledByFault(_ address: UInt64) -> Bool {
        function(at: address) == "runtime.sigpanic"
    }

    /// These go on with another stack's words, of another call: runtime/asm_amd64.s, asm_arm64.s.
    func changesStack(_ address: UInt64) -> Bool {
        function(at: address).map(Self.changingStack.contains) ?? false
    }

    private static let changingStack: Set<Substring> = [
        "runtime.systemstack", "runtime.mcall", "runtime.morestack", "runtime.asmcgocall",
        "runtime.cgocallback",
    ]

    /// The caller's caller of runtime.systemstack, which went to the stack of `state`: the goroutine's
    /// descriptor has the frame pointer that it left, and some function on this stack has been given
    /// that descriptor. runtime/runtime2.go, g and gobuf; asm_amd64.s, gosave_systemstack_switch.
    func callerOnLeftStack(
        _ state: FrameState, at place: CodePlace, from innermost: UInt64, _ memory: CapturedMemory
    ) -> FrameState? {
        guard architecture == .x86_64, function(at: place.lookupAddress) == "runtime.systemstack",
            innermost <= state.stackPointer
        else { return nil }
        let words = stride(from: innermost & ~7, through: state.stackPointer, by: 8)
            .prefix(Self.mostWords)
        for case let goroutine? in words.lazy.map(memory.stackWord) {
            guard let frame = savedFrame(goroutine, memory),
                let framePointer = memory.stackWord(at: frame),
                let returnAddress = memory.stackWord(at: frame + 8)
            else { continue }
            return FrameState(
                instructionPointer: returnAddress, stackPointer: frame + 16,
                framePointer: framePointer)
        }
        return nil
    }

    private static let mostWords = 1024

    /// gobuf has sp, pc and g, here the descriptor itself, and last bp.
    private func savedFrame(_ goroutine: UInt64, _ memory: CapturedMemory) -> UInt64? {
        guard goroutine > 0, goroutine < .max - 4096, goroutine & 7 == 0,
            memory.word(at: goroutine + 72) == goroutine,
            let low = memory.word(at: goroutine), let high = memory.word(at: goroutine + 8),
            let stackPointer = memory.word(at: goroutine + 56),
            let place = memory.word(at: goroutine + 64),
            let frame = memory.word(at: goroutine + 104), low <= stackPointer,
            stackPointer <= frame, frame < high, high - frame >= 16,
            function(at: place) == "runtime.systemstack_switch"
        else { return nil }
        return frame
    }

    private func function(at address: UInt64, isAtStart: Bool = false) -> Substring? {
        guard let module = modules.module(at: address), module.isOfGo,
            case let place = module.fileAddress(address),
            let symbol = module.completeSymbols?.symbol(containing: place),
            !isAtStart || symbol.address == place
        else { return nil }
        let name = symbol.name[...]
        return name.hasSuffix(".abi0") ? name.dropLast(5) : name
    }
}
