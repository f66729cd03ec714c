// SPDX-License-Identifier: Apache-2.0

package enum RegisterSnapshot: Sendable, Equatable {
    case x86_64(X86Registers)
    case aarch64(ARM64Registers)
    /// Of another processor, from a minidump of another program.
    case named(NamedRegisters)
    /// All that is known of a thread that did not stop: /proc/PID/syscall, proc(5).
    case pointers(instruction: UInt64, stack: UInt64)

    package var instructionPointer: UInt64 {
        switch self {
        case .x86_64(let registers): registers.rip
        case .aarch64(let registers): registers.pc
        case .named(let registers): registers.instructionPointer
        case .pointers(let instruction, _): instruction
        }
    }

    package var stackPointer: UInt64 {
        switch self {
        case .x86_64(let registers): registers.rsp
        case .aarch64(let registers): registers.sp
        case .named(let registers): registers.stackPointer
        case .pointers(_, let stack): stack
        }
    }

    /// rbp or x29; nil if unknown.
    package var framePointer: UInt64? {
        switch self {
        case .x86_64(let registers): registers.rbp
        case .aarch64(let registers): registers.x[29]
        case .named(let registers): registers.framePointer
        case .pointers: nil
        }
    }

    /// The integer registers, in the order of debuggers.
    package var named: [(name: String, value: UInt64)] {
        switch self {
        case .x86_64(let registers): registers.named
        case .aarch64(let registers): registers.named
        case .named(let all): all.registers.map { (name: $0.name, value: $0.value) }
        case .pointers(let instruction, let stack): [("pc", instruction), ("sp", stack)]
        }
    }
}

package struct X86Registers: Sendable, Equatable {
    /// Caller-saved: x86_64 psABI 3.2.1.
    package var r8: UInt64 = 0, r9: UInt64 = 0, r10: UInt64 = 0, r11: UInt64 = 0
    /// Callee-saved.
    package var r12: UInt64 = 0, r13: UInt64 = 0, r14: UInt64 = 0, r15: UInt64 = 0
    /// First and second argument, frame pointer where kept, callee-saved.
    package var rdi: UInt64 = 0, rsi: UInt64 = 0, rbp: UInt64 = 0, rbx: UInt64 = 0
    /// Third argument, return value, fourth argument, stack pointer.
    package var rdx: UInt64 = 0, rax: UInt64 = 0, rcx: UInt64 = 0, rsp: UInt64 = 0
    /// Instruction pointer and flags, Intel SDM 1, 3.4.3.
    package var rip: UInt64 = 0, rflags: UInt64 = 0
    /// Segment selectors. For the bases of fs and gs see `ThreadSnapshot.threadDataAddress`.
    package var cs: UInt16 = 0, gs: UInt16 = 0, fs: UInt16 = 0, ss: UInt16 = 0
    /// Page-fault error code, trap number and faulting address of the last fault.
    package var errorCode: UInt64 = 0, trapNumber: UInt64 = 0, cr2: UInt64 = 0
    /// The XSAVE area in standard format: 512 bytes of FXSAVE, maybe more. Intel SDM 1, 13.4.
    package var floatingPoint: ByteSlice?

    package init() {}

    /// The order of `struct sigcontext`: sixteen integer registers, rip and rflags.
    package static var inKernelOrder: [WritableKeyPath<X86Registers, UInt64>] {
        [
            \.r8, \.r9, \.r10, \.r11, \.r12, \.r13, \.r14, \.r15, \.rdi, \.rsi, \.rbp, \.rbx, \.rdx,
            \.rax, \.rcx, \.rsp, \.rip, \.rflags,
        ]
    }

    package var named: [(name: String, value: UInt64)] {
        [
            ("rax", rax), ("rbx", rbx), ("rcx", rcx), ("rdx", rdx), ("rsi", rsi), ("rdi", rdi),
            ("rbp", rbp), ("rsp", rsp), ("r8", r8), ("r9", r9), ("r10", r10), ("r11", r11),
            ("r12", r12), ("r13", r13), ("r14", r14), ("r15", r15), ("rip", rip),
            ("rflags", rflags),
        ]
    }
}

/// As saved by the kernel: `struct sigcontext`, asm/sigcontext.h.
package struct ARM64Registers: Sendable, Equatable {
    /// x0 to x30; always 31 of them.
    package var x: [UInt64] = Array(repeating: 0, count: 31)
    /// Stack pointer, program counter, and PSTATE in the layout of SPSR_EL1.
    package var sp: UInt64 = 0, pc: UInt64 = 0, pstate: UInt64 = 0
    /// Address and syndrome of the last fault, FAR_EL1 and ESR_EL1; 0 if not saved.
    package var faultAddress: UInt64 = 0, syndrome: UInt64 = 0
    /// v0 to v31, 16 bytes each, little-endian; nil if not saved.
    package var vectors: ByteSlice?
    /// Floating-point status and control; 0 if `vectors` is nil.
    package var fpsr: UInt32 = 0, fpcr: UInt32 = 0

    package init() {}

    package var named: [(name: String, value: UInt64)] {
        x.enumerated().map { (name: "x\($0.offset)", value: $0.element) }
            + [("sp", sp), ("pc", pc), ("pstate", pstate)]
    }
}

package struct NamedRegisters: Sendable, Equatable {
    package struct Register: Sendable, Equatable {
        package var name: String
        package var value: UInt64

        package init(_ name: String, _ value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    package var registers: [Register]
    package var instructionPointer: UInt64
    package var stackPointer: UInt64
    /// Nil if code for this processor need not have one.
    package var framePointer: UInt64?

    package init(
        _ registers: [Register], instructionPointer: UInt64, stackPointer: UInt64,
        framePointer: UInt64? = nil
    ) {
        self.registers = registers
        self.instructionPointer = instructionPointer
        self.stackPointer = stackPointer
        self.framePointer = framePointer
    }
}
