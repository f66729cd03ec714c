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
