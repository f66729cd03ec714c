// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Functions that ended with a tail call: the call names the function that jumped, the frame
/// belongs to the one that it jumped to.
extension CalledFunctions {
    /// Whether one stands between the frame at `inner` and one that continues at `address`.
    func jumped(to inner: CodePlace, afterCallReturningTo address: UInt64) -> Bool {
        let step = Step(returnAddress: address, inner: inner.lookupAddress)
        if let answer = knownJumps[step] { return answer }
        let answer = findJump(to: inner, address)
        knownJumps[step] = answer
        return answer
    }

    private func findJump(to inner: CodePlace, _ address: UInt64) -> Bool {
        guard let function = inner.rules?.addressRange, !inner.isSignalReturn,
            let module = modules.module(at: inner.lookupAddress),
            let target = calls.directTarget(returningTo: address),
            case let start = function.lowerBound &+ module.loadBias, target != start,
            // A PLT stub jumps to its function, which may be any.
            stubs.pushedWords(at: target) == nil, modules.isFunctionStart(target),
            let name = module.completeSymbols?.symbol(containing: module.fileAddress(start)),
            name.address &+ module.loadBias == start
        else { return false }
        // Compilers move cold code out of a function, and jump there and back.
        guard name.name.hasSuffix(".cold") || name.name.has(".cold.") else { return true }
        guard module.addressRange.contains(target),
            let called = module.completeSymbols?.names(ofFunctionAt: module.fileAddress(target))
        else { return false }
        return !called.isEmpty && !called.contains { $0.withoutMarks == name.name.withoutMarks }
    }
}

extension String {
    /// `work` for `work.part.0.cold`
    fileprivate var withoutMarks: Substring { prefix { $0 != "." } }
}
