// SPDX-License-Identifier: Apache-2.0

import CUnwind
import ELFImage

/// Steps from frame to frame with the images' call frame information, through libunwind's remote
/// interface.
///
/// libunwind gets to see the crashed process through four callbacks and nothing else. Its own
/// guesses for frames without a table are thrown away: they walk on through any garbage.
/// libunwind(3), unw_create_addr_space(3).
final class UnwindTableWalker {
    enum Step {
        case frame(FrameState)
        /// The table says that nobody called this frame.
        case end
        case noTable
        case noMemory(UInt64)
        /// A register this frame's table builds on is not known.
        case noRegister
        case unusable
    }

    private let context: UnwindContext
    private let space: OpaquePointer?
    private let cursor = UnsafeMutablePointer<unw_cursor_t>.allocate(capacity: 1)

    init(memory: CapturedMemory, modules: LoadedModules) {
        context = UnwindContext(memory: memory, modules: modules)
        cursor.initialize(to: unw_cursor_t())
        var accessors = UnwindContext.accessors
        space = _Ux86_64_create_addr_space(&accessors, 0)
        // The global cache belongs to one address space. The per-thread one is shared by all
        // address spaces of a thread, and would answer for another process's addresses.
        if let space { _Ux86_64_set_caching_policy(space, UNW_CACHE_GLOBAL) }
    }

    deinit {
        if let space { _Ux86_64_destroy_addr_space(space) }
        cursor.deallocate()
    }

    /// Begins anew at `state`. False when libunwind will not.
    func begin(at state: FrameState) -> Bool {
        guard let space else { return false }
        context.registers = state.tableRegisters
        context.prepare()
        let argument = Unmanaged.passUnretained(context).toOpaque()
        return _Ux86_64_init_remote(cursor, space, argument) == 0
    }

    /// The caller of the frame the cursor is at.
    func step() -> Step {
        context.prepare()
        let result = _Ux86_64_step(cursor)
        if context.hasNoTable { return .noTable }
        if context.isExhausted { return .unusable }
        guard result >= 0 else {
            if context.lacksRegister { return .noRegister }
            return context.missingAddress.map { .noMemory($0) } ?? .unusable
        }
        if result == 0 { return .end }
        guard let instructionPointer = register(X86.rip), let stackPointer = register(X86.rsp)
        else { return .unusable }
        return .frame(
            FrameState(
                instructionPointer: instructionPointer, stackPointer: stackPointer,
                framePointer: register(X86.rbp)))
    }

    /// All registers of the frame the cursor is at, by DWARF number.
    func registers() -> [UInt64?] {
        (0...X86.rip).map { register($0) }
    }

    private func register(_ number: Int) -> UInt64? {
        var value: unw_word_t = 0
        return _Ux86_64_get_reg(cursor, Int32(number), &value) == 0 ? value : nil
    }
}
