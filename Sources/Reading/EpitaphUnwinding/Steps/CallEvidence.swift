// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// What the call before a return address says of the function that runs or waits further in.
enum CallEvidence: Equatable {
    /// It calls that function, or one that jumps to it.
    case names
    /// It calls a place shortly before the code, and nothing tells where the function begins.
    case leadsTo(start: UInt64)
    /// It calls, from outside, a function of the module; nothing tells which one the code is of.
    case enters
    /// It calls through a pointer, or in a module that is not at hand: it may have led anywhere.
    case open
    /// It calls a small function that jumps through a pointer, as `_dispatch_client_callout` does.
    case passesOn
    case namesAnother
}

/// Finds where calls lead: directly, or by way of a slot that the dynamic linker fills.
final class CalledFunctions {
    /// The longest way from a function's start to its running code, if only the call tells it.
    private static let functionBytes: UInt64 = 1 << 16
    /// How far a function that ends with a jump to another is examined.
    private static let jumpBytes = 512
    /// The longest function that only passes on.
    private static let passingBytes: UInt64 = 32

    private enum Target {
        case address(UInt64)
        case named(String)
        case module(Int)
    }

    let modules: LoadedModules
    private let memory: CapturedMemory
    let calls: CallInstruction
    private let signals: SignalContext
    let stubs: LinkageStub

    struct Step: Hashable {
        let returnAddress: UInt64
        let inner: UInt64
    }
    private var known: [Step: CallEvidence] = [:]
    var knownJumps: [Step: Bool] = [:]

    init(
        modules: LoadedModules, memory: CapturedMemory, calls: CallInstruction,
        signals: SignalContext
    ) {
        self.modules = modules
        self.memory = memory
        self.calls = calls
        self.signals = signals
        stubs = LinkageStub(memory: memory)
    }

    func evidence(of caller: FrameState, for inner: CodePlace) -> CallEvidence {
        guard signals.isReturnPath(caller.instructionPointer) else {
            return evidence(of: caller.instructionPointer, for: inner)
        }
        // The kernel calls a signal handler, and leaves what it interrupted above.
        let interrupted = signals.interrupted(by: caller)
        return interrupted.map { modules.isExecutable($0.instructionPointer) } == true
            ? .names : .namesAnother
    }

    func evidence(of returnAddress: UInt64, for inner: CodePlace) -> CallEvidence {
        let step = Step(returnAddress: returnAddress, inner: inner.lookupAddress)
        if let answer = known[step] { return answer }
        let answer = find(returnAddress, inner.lookupAddress)
        known[step] = answer
        return answer
    }

    private func find(_ returnAddress: UInt64, _ inner: UInt64) -> CallEvidence {
        let target: Target? =
            if let address = calls.directTarget(returningTo: returnAddress) {
                self.target(at: address)
            } else {
                calls.slot(returningTo: returnAddress).flatMap(function(atSlot:))
            }
        guard let target else { return .open }
        return evidence(target, inner, from: returnAddress)
    }

    private func evidence(
        _ target: Target, _ inner: UInt64, from caller: UInt64
    ) -> CallEvidence {
        guard let module = modules.module(at: inner) else {
            guard case .address(let start) = target else { return .open }
            return direct(start, inner, in: nil) ?? .open
        }
        let start: UInt64
        switch target {
        case .module(let index): return index == module.index ? .open : .namesAnother
        case .address(let address): start = address
        case .named(let name):
            guard let exports = module.exports else { return .open }
            guard let function = exports.function(named: name) else { return .namesAnother }
            if function.isIndirect { return .open }
            start = function.address &+ module.loadBias
        }
        if let evidence = direct(start, inner, in: module) { return evidence }
        for jump in jumps(from: start) {
            // Bytes that look like a short jump are common.
            guard case .address(let end)? = self.target(at: jump, in: module),
                distance(start, end) > 127 || modules.functionRange(of: inner)?.lowerBound == end
            else { continue }
            if let evidence = direct(end, inner, in: module) { return evidence }
        }
        if passesOn(start) { return .passesOn }
        guard module.addressRange.contains(start), modules.functionRange(of: inner) == nil else {
            return .namesAnother
        }
        if modules.module(at: caller)?.index != module.index { return .enters }
        // Without the code it is not known which functions end with a jump to another.
        return module.isWithoutFile ? .open : .namesAnother
    }

    /// Nil if a call or jump to `start` says nothing of the code at `inner`. A jump may lead to a
    /// part of the function that the compiler moved away.
    private func direct(
        _ start: UInt64, _ inner: UInt64, in module: LoadedModules.Module?
    ) -> CallEvidence? {
        if let function = modules.functionRange(of: inner) {
            return function.contains(start) ? .names : nil
        }
        guard module?.isWithoutFile != true,
            module?.addressRange.contains(start) != false, start <= inner,
            inner - start < Self.functionBytes, modules.functionRange(of: start) == nil
        else { return nil }
        return .leadsTo(start: start)
    }

    private func passesOn(_ start: UInt64) -> Bool {
        guard let range = modules.functionRange(of: start), range.lowerBound == start,
            range.upperBound - start <= Self.passingBytes
        else { return false }
        let count = Int(range.upperBound - start)
        return calls.hasIndirectJump(in: memory.bytes(at: start, count: count).array)
    }

    private func distance(_ start: UInt64, _ end: UInt64) -> UInt64 {
        max(start, end) - min(start, end)
    }

    private func jumps(from start: UInt64) -> [UInt64] {
        let end = modules.functionRange(of: start)?.upperBound ?? .max
        let count = min(end &- start, UInt64(Self.jumpBytes))
        return calls.jumps(in: memory.bytes(at: start, count: Int(count)).array, at: start)
    }

    private func target(at jump: UInt64, in module: LoadedModules.Module) -> Target? {
        guard let target = target(at: jump), case .named(let name) = target else {
            return target(at: jump)
        }
        return module.exports?.function(named: name).flatMap {
            $0.isIndirect ? nil : .address($0.address &+ module.loadBias)
        }
    }

    private func target(at address: UInt64) -> Target? {
        if let slot = stubs.slot(at: address) { return function(atSlot: slot) }
        return stubs.pushedWords(at: address) == nil ? .address(address) : nil
    }

    private func function(atSlot slot: UInt64) -> Target? {
        guard let module = modules.module(at: slot),
            let function = module.imports?.function(atSlot: module.fileAddress(slot))
        else { return nil }
        // Until its first call, the slot leads back to the stub.
        if let bound = memory.stackWord(at: slot), modules.isExecutable(bound),
            modules.module(at: bound)?.index != module.index
        {
            return .address(bound)
        }
        switch function {
        case .named(let name): return .named(name)
        case .own: return .module(module.index)
        }
    }
}
