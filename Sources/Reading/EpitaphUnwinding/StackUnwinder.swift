// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Unwinds the threads of a snapshot, by call frame information of ELF files that certainly were
/// loaded, then frame pointers, then return addresses left on the stack; each frame says which.
/// Except for the innermost one, no frame is outside executable memory or at an address that no
/// call can have left. A Swift function running in a task is followed by the functions that await
/// it. Not thread-safe.
package final class StackUnwinder {
    package static let defaultFrameLimit = 4_096
    /// For the crashed thread: a stack of 8 MiB, the usual limit, at 32 bytes per call.
    package static let crashFrameLimit = (8 << 20) / 32

    private let snapshot: ProcessSnapshot
    private let frameLimit: Int?
    let modules: LoadedModules
    private let tools: UnwindingTools
    private let asyncCallers: SwiftAsyncCallers

    /// - Parameter frameLimit: for every thread; nil for the limits above.
    package init(
        snapshot: ProcessSnapshot, images: any ELFImageSource, frameLimit: Int? = nil
    ) {
        self.snapshot = snapshot
        self.frameLimit = frameLimit
        let architecture = snapshot.architecture
        modules = LoadedModules(snapshot, images: images)
        let memory = CapturedMemory(snapshot, modules: modules)
        let signals = SignalContext(architecture: architecture, memory: memory)
        let calls = CallInstruction(architecture: architecture, memory: memory)
        let allBits: UInt64 = .max
        // Linux gives programs 48 address bits unless they ask for more.
        let mask =
            architecture == .aarch64
            ? snapshot.system.addressMask ?? 0xffff_ffff_ffff : allBits
        let fallback = FallbackSteps(
            memory: memory, modules: modules, calls: calls, signals: signals, addressMask: mask)
        let go = GoRuntime(modules: modules, architecture: architecture)
        let places = CodePlaces(
            modules: modules, calls: calls, signals: signals,
            starts: StackStart(modules: modules, memory: memory, architecture: architecture),
            go: go)
        let tables = TableStep(
            // Debian's libunwind supports only the processor it was built for.
            libunwind: architecture == .x86_64
                ? LibunwindStep(memory: memory, modules: modules) : nil,
            own: CallFrameStep(roles: .of(architecture), memory: memory, addressMask: mask))
        let called = CalledFunctions(
            modules: modules, memory: memory, calls: calls, signals: signals)
        let code = CodeStep(
            fallback: fallback, called: called, step: tables.own, places: places)
        let chain = TableChain(
            called: called, places: places, step: tables.own, code: code, fallback: fallback)
        tools = UnwindingTools(
            modules: modules, memory: memory, signals: signals, fallback: fallback,
            places: places, tables: tables, code: code,
            scan: StackScan(
                fallback: fallback, modules: modules, chain: chain, step: tables.own),
            chain: chain,
            outermost: OutermostFrames(
                modules: modules, memory: memory, fallback: fallback, chain: chain),
            go: go)
        asyncCallers = SwiftAsyncCallers(
            functions: SwiftAsyncFunctions(
                snapshot, images: images, modules: modules, memory: memory),
            memory: memory, modules: modules, addressMask: mask, signals: signals,
            places: places, tables: tables)
    }

    package func unwind(_ thread: ThreadSnapshot) -> Backtrace {
        unwind(from: thread.registers, limit: frameLimit ?? Self.defaultFrameLimit)
    }

    package func unwindException() -> Backtrace? {
        guard let exception = snapshot.exception else { return nil }
        return unwind(
            from: exception.registers ?? snapshot.crashingThread?.registers,
            limit: frameLimit ?? Self.crashFrameLimit,
            isBehindTrap: TrapInstruction(memory: tools.memory).isBefore(exception, snapshot))
    }

    private func unwind(
        from registers: RegisterSnapshot?, limit: Int, isBehindTrap: Bool = false
    ) -> Backtrace {
        guard let registers else { return Backtrace(frames: [], end: .noRegisters) }
        var state = FrameState(registers)
        state.isBehindInstruction = isBehindTrap
        var walk = StackWalk(from: state, frameLimit: limit, tools)
        guard snapshot.architecture.isCaptured else {
            return walk.onlyFrame(end: .unsupportedProcessor(snapshot.architecture.name))
        }
        return asyncCallers.added(to: walk.run(), from: registers)
    }
}

extension StackUnwinder {
    /// For places of frames found here, by module index, to unwind without files.
    package func callFrames(at lookupAddresses: some Sequence<UInt64>) -> [Int: KeptCallFrames] {
        var extracts: [Int: CallFrameExtract] = [:]
        var loadBiases: [Int: UInt64] = [:]
        for address in lookupAddresses {
            guard let module = modules.module(at: address), let table = module.callFrames else {
                continue
            }
            extracts[module.index, default: CallFrameExtract()]
                .add(from: table, at: module.fileAddress(address))
            loadBiases[module.index] = module.loadBias
        }
        var kept: [Int: KeptCallFrames] = [:]
        for (index, extract) in extracts where !extract.isEmpty {
            kept[index] = KeptCallFrames(loadBias: loadBiases[index] ?? 0, entries: extract.bytes)
        }
        return kept
    }

    package func hasKeptCallFrames(ofModule index: Int) -> Bool {
        modules.hasKeptCallFrames(index)
    }
}
