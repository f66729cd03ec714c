// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Finds out which calls the threads of a snapshot were in.
///
/// Uses the unwind tables of ELF files that are certainly the ones that were loaded, then frame
/// pointers, then return addresses left on the stack; each frame says which. A frame outside
/// executable memory is never given, except an innermost one: there the program really was. Behind a
/// Swift function that runs in a task stand the functions that await it. Not for use by several
/// threads at once.
public final class StackUnwinder {
    public static let defaultFrameLimit = 4_096

    private let snapshot: ProcessSnapshot
    private let frameLimit: Int
    private let modules: LoadedModules
    private let memory: CapturedMemory
    private let tables: UnwindTableWalker?
    private let asyncFunctions: SwiftAsyncFunctions

    public init(
        snapshot: ProcessSnapshot, images: any ELFImageSource,
        frameLimit: Int = StackUnwinder.defaultFrameLimit
    ) {
        self.snapshot = snapshot
        self.frameLimit = frameLimit
        modules = LoadedModules(snapshot, images: images)
        memory = CapturedMemory(snapshot, modules: modules)
        // Debian's libunwind for this machine understands this machine's registers only.
        tables =
            snapshot.architecture == .x86_64
            ? UnwindTableWalker(memory: memory, modules: modules) : nil
        asyncFunctions = SwiftAsyncFunctions(
            snapshot, images: images, modules: modules, memory: memory)
    }

    /// The frames of one thread, from the registers it was stopped with.
    public func unwind(_ thread: ThreadSnapshot) -> Backtrace {
        unwind(from: thread.registers)
    }

    /// The frames at the fault; nil when the snapshot has no exception.
    public func unwindException() -> Backtrace? {
        guard let exception = snapshot.exception else { return nil }
        return unwind(from: exception.registers ?? snapshot.crashingThread?.registers)
    }

    private func unwind(from registers: RegisterSnapshot?) -> Backtrace {
        guard let registers else { return Backtrace(frames: [], end: .noRegisters) }
        let calls = CallInstruction(architecture: snapshot.architecture, memory: memory)
        let allBits: UInt64 = .max
        // 48 bits of virtual address is what Linux gives programs unless they ask for more.
        let mask =
            snapshot.architecture == .aarch64
            ? snapshot.system.addressMask ?? 0xffff_ffff_ffff : allBits
        let signals = SignalContext(architecture: snapshot.architecture, memory: memory)
        var walk = StackWalk(
            state: FrameState(registers), frameLimit: frameLimit, modules: modules, memory: memory,
            signals: signals,
            fallback: FallbackSteps(
                memory: memory, modules: modules, calls: calls, signals: signals,
                addressMask: mask),
            tables: tables)
        guard snapshot.architecture.isCaptured else {
            return walk.onlyFrame(end: .unsupportedProcessor(snapshot.architecture.name))
        }
        let callers = SwiftAsyncCallers(
            functions: asyncFunctions, memory: memory, modules: modules, addressMask: mask,
            tables: tables)
        return callers.added(to: walk.run(), from: registers)
    }
}
