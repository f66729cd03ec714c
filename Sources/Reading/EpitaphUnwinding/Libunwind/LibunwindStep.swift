// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF

/// Steps to the caller with libunwind's remote interface, unw_create_addr_space(3): on x86_64, for
/// this machine's images with a search table, where `CallFrameStep` gives no caller;
/// docs/decisions/unwinding.md. Its guesses without a table are discarded.
final class LibunwindStep {
    /// DWARF register numbers: psABI, figure 3.36.
    private enum Register {
        static let framePointer = 6
        static let stackPointer = 7
        static let instructionPointer = 16
    }

    private let modules: LoadedModules
    private let context: LibunwindContext
    private let space: OpaquePointer?
    private let cursor = UnsafeMutablePointer<epitaph_unw_cursor_t>.allocate(capacity: 1)
    /// Instruction and stack pointer at the cursor; nil if it is not at a frame.
    private var position: (UInt64, UInt64)?

    init(memory: CapturedMemory, modules: LoadedModules) {
        self.modules = modules
        context = LibunwindContext(memory: memory, modules: modules)
        cursor.initialize(to: epitaph_unw_cursor_t())
        var accessors = LibunwindContext.accessors
        space = epitaph_Ux86_64_create_addr_space(&accessors, 0)
        // The per-thread cache would return results of another process.
        if let space { epitaph_Ux86_64_set_caching_policy(space, UNW_CACHE_GLOBAL) }
    }

    deinit {
        if let space { epitaph_Ux86_64_destroy_addr_space(space) }
        cursor.deallocate()
    }

    func caller(of state: FrameState, at place: CodePlace) -> FrameState? {
        guard let module = modules.module(at: place.lookupAddress), module.hasSearchTable
        else { return nil }
        if position.map({ $0 != (state.instructionPointer, state.stackPointer) }) ?? true {
            guard begin(at: state, place) else { return nil }
        }
        position = nil
        context.prepare()
        let result = epitaph_Ux86_64_step(cursor)
        guard result > 0, !context.hasNoTable, !context.isExhausted,
            let instructionPointer = register(Register.instructionPointer),
            let stackPointer = register(Register.stackPointer)
        else { return nil }
        position = (instructionPointer, stackPointer)
        var caller = FrameState(
            instructionPointer: instructionPointer, stackPointer: stackPointer,
            framePointer: register(Register.framePointer))
        // Only preserved registers are right in the caller.
        for number in 0..<Register.instructionPointer
        where RegisterRoles.x86_64.preserved >> UInt64(number) & 1 == 1 {
            caller.others[number] = register(number)
        }
        return caller
    }

    private func begin(at state: FrameState, _ place: CodePlace) -> Bool {
        guard let space else { return false }
        var registers = (0...Register.instructionPointer).map { state.register($0, .x86_64) }
        // libunwind takes the first frame for interrupted, so the address is inside the call.
        registers[Register.instructionPointer] = place.lookupAddress
        context.registers = registers
        context.prepare()
        let argument = Unmanaged.passUnretained(context).toOpaque()
        return epitaph_Ux86_64_init_remote(cursor, space, argument) == 0
    }

    private func register(_ number: Int) -> UInt64? {
        var value: epitaph_unw_word_t = 0
        return epitaph_Ux86_64_get_reg(cursor, Int32(number), &value) == 0 ? value : nil
    }
}
