// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Detects functions that ended with a tail call: they jumped to another function, whose frame
/// replaced theirs. The call names the function that jumped, the frame belongs to the other.
final class TailCalls {
    private let modules: LoadedModules
    private let calls: CallInstruction

    private struct Step: Hashable {
        let returnAddress: UInt64
        let innerFunction: UInt64
    }
    private var known: [Step: Bool] = [:]

    init(modules: LoadedModules, calls: CallInstruction) {
        self.modules = modules
        self.calls = calls
    }

    /// - Parameters:
    ///   - inner: the place of the inner frame.
    ///   - address: where the outer frame continues.
    func standBetween(_ inner: CodePlace, andCallReturningTo address: UInt64) -> Bool {
        guard let function = inner.rules?.addressRange, !inner.isSignalReturn,
            let module = modules.module(at: inner.lookupAddress)
        else { return false }
        let step = Step(
            returnAddress: address, innerFunction: function.lowerBound &+ module.loadBias)
        if let answer = known[step] { return answer }
        let answer = find(step, in: module)
        known[step] = answer
        return answer
    }

    private func find(_ step: Step, in module: LoadedModules.Module) -> Bool {
        guard let target = calls.directTarget(returningTo: step.returnAddress),
            target != step.innerFunction,
            // A PLT stub jumps to its function, which may be any.
            LinkageStub(memory: calls.memory).pushedWords(at: target) == nil,
            modules.isFunctionStart(target),
            let name = module.completeSymbols?.symbol(
                containing: module.fileAddress(step.innerFunction)),
            name.address &+ module.loadBias == step.innerFunction
        else { return false }
        // Compilers move cold code out of a function, and jump there and back.
        return !name.name.hasSuffix(".cold") && !name.name.has(".cold.")
    }
}
