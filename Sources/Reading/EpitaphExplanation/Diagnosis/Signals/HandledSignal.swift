// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// `struct rt_sigframe`: arch/x86/include/asm/sigframe.h, arch/arm64/kernel/signal.c.
package struct HandledSignal: Sendable, Equatable {
    /// The number, signal(7).
    package let signal: Int32
    /// si_code, sigaction(2)
    package let code: Int32
    package let address: UInt64?
    let info: [UInt8]?
    let registers: RegisterSnapshot

    /// Nil if the signal cannot be determined.
    ///
    /// - Parameters:
    ///   - frame: the kernel's return path from the handler.
    ///   - interrupted: the frame behind it, which must match the saved registers.
    init?(
        at frame: ReportFrame, interrupting interrupted: ReportFrame,
        of snapshot: ProcessSnapshot, _ memory: ReadableMemory
    ) {
        guard frame.isSignalFrame, let stackPointer = frame.stackPointer else { return nil }
        let found: (info: UInt64, registers: RegisterSnapshot)? =
            switch snapshot.architecture {
            case .x86_64: Self.x86(stackPointer, memory)
            case .aarch64: Self.arm(stackPointer, interrupted.address, memory)
            default: nil
            }
        guard let found, found.registers.instructionPointer == interrupted.address else {
            return nil
        }
        registers = found.registers
        if let told = Self.information(at: found.info, memory) {
            (signal, code, info) = (told.signal, told.code, told.bytes)
            address =
                SignalTable.hasAddress(signal: signal, code: code)
                ? memory.integer(at: found.info &+ 16, as: UInt64.self) : nil
            return
        }
        guard let fault = LastTrap.exception(registers, of: snapshot, memory) else { return nil }
        (signal, code, info) = (fault.signal, fault.code, nil)
        address =
            SignalTable.hasAddress(signal: signal, code: code) ? fault.address : nil
    }

    /// Garbage if the handler does not ask for siginfo: accepted if the code fits the signal and
    /// unused bytes are zero (`copy_siginfo_to_user` in kernel/signal.c).
    private static func information(
        at address: UInt64, _ memory: ReadableMemory
    ) -> (signal: Int32, code: Int32, bytes: [UInt8])? {
        let bytes = memory.bytes(at: address, atMost: 128)
        var cursor = ByteCursor(ByteSlice(bytes))
        // si_signo, si_errno, si_code: asm-generic/siginfo.h.
        guard bytes.count == 128, bytes[48...].allSatisfy({ $0 == 0 }),
            let signal = try? cursor.read(Int32.self), (try? cursor.read(Int32.self)) != nil,
            let code = try? cursor.read(Int32.self), SignalTable.signal(signal) != nil,
            SignalTable.code(code, of: signal) != nil
        else { return nil }
        return (signal, code, bytes)
    }

    var isFault: Bool { SignalNumber.faults.contains(signal) && code > 0 }

    /// False if what the thread does is why the kernel sends it: signal(7).
    var comesAtAnyTime: Bool {
        let brokenPipe: Int32 = 13
        return !isFault
            && ![SignalNumber.badSystemCall, SignalNumber.fileSize, brokenPipe].contains(signal)
    }

    var exception: ExceptionSnapshot {
        var exception = ExceptionSnapshot(signal: signal, code: code, address: address ?? 0)
        exception.registers = registers
        exception.signalInfo = info.map { ByteSlice($0) }
        return exception
    }

    /// `SIGSEGV (SEGV_MAPERR at 0x18)`
    package var words: String {
        let name = SignalTable.name(of: signal)
        guard let code = SignalTable.code(code, of: signal)?.name else { return name }
        return "\(name) (\(code)\(address.map { " at \($0.hex)" } ?? ""))"
    }

    /// After the return to the rt_sigreturn(2) stub the stack pointer is at `struct ucontext`, 304
    /// bytes followed by `siginfo_t`. `struct sigcontext` is 40 bytes in.
    private static func x86(
        _ context: UInt64, _ memory: ReadableMemory
    ) -> (UInt64, RegisterSnapshot)? {
        guard let words = words(at: context &+ 40, count: 23, memory) else { return nil }
        var registers = X86Registers()
        for (register, word) in zip(X86Registers.inKernelOrder, words) {
            registers[keyPath: register] = word
        }
        (registers.errorCode, registers.trapNumber, registers.cr2) =
            (words[19], words[20], words[22])
        return (context &+ 304, .x86_64(registers))
    }

    /// The stack pointer is at or below the structure. It begins with `siginfo_t`; `struct
    /// sigcontext` is 304 bytes in and begins with the fault address.
    private static func arm(
        _ stackPointer: UInt64, _ interrupted: UInt64, _ memory: ReadableMemory
    ) -> (UInt64, RegisterSnapshot)? {
        let furthest: UInt64 = 64 << 10
        for offset in stride(from: 0, to: furthest, by: 16) {
            let start = stackPointer &+ offset
            let counter = memory.integer(at: start &+ 304 &+ 8 * 33, as: UInt64.self)
            guard let counter else { return nil }
            guard counter == interrupted,
                let words = words(at: start &+ 304, count: 35, memory)
            else { continue }
            var registers = ARM64Registers()
            registers.faultAddress = words[0]
            registers.x = Array(words[1..<32])
            (registers.sp, registers.pc, registers.pstate) = (words[32], words[33], words[34])
            return (start, .aarch64(registers))
        }
        return nil
    }

    private static func words(
        at address: UInt64, count: Int, _ memory: ReadableMemory
    ) -> [UInt64]? {
        let bytes = memory.bytes(at: address, atMost: count * 8)
        guard bytes.count == count * 8 else { return nil }
        return stride(from: 0, to: bytes.count, by: 8).map { bytes[$0..<$0 + 8].littleEndian }
    }
}

extension ReportFrame {
    var signalWords: String {
        handledSignal.map { "calls a signal handler for \($0.words)" } ?? "calls a signal handler"
    }
}

extension ReportStack {
    func namingSignals(of snapshot: ProcessSnapshot, _ memory: ReadableMemory) -> ReportStack {
        let signals = frames.indices.filter { frames[$0].isSignalFrame }
        guard !signals.isEmpty else { return self }
        var named = self
        for position in signals {
            let frame = frames[position]
            guard let next = frames[position...].first(where: { $0.index > frame.index }) else {
                continue
            }
            named.frames[position].handledSignal = HandledSignal(
                at: frame, interrupting: next, of: snapshot, memory)
        }
        return named
    }
}

/// A crash inside a signal handler that was itself called for a fault.
enum FaultInHandler {
    static func finding(_ scene: CrashScene) -> Diagnosis.Finding? {
        let position = scene.frames.lastIndex { $0.handledSignal?.isFault == true }
        guard let position, let handled = scene.frames[position].handledSignal else { return nil }
        let handler = scene.frames[..<position].last { !$0.isInlined }?.shortPlace
        let interrupted = scene.frames[(position + 1)...].first?.shortPlace
        return .init(
            "It happened in a signal handler\(handler.map { ", \($0)," } ?? "") that was called for "
                + "an earlier fault\(interrupted.map { " in \($0)" } ?? ""): that one came first.",
            evidence:
                "The stack holds the signal that the kernel saved for the handler: \(handled.words)."
        )
    }
}
