// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// The original fault, if its handler raised the signal again or called abort(3).
struct FirstFault {
    let exception: ExceptionSnapshot
    let stack: ReportStack
    let finding: Diagnosis.Finding

    init?(
        before last: ExceptionSnapshot, _ reason: DeathReason, of snapshot: ProcessSnapshot,
        stack: ReportStack?, _ memory: ReadableMemory
    ) {
        guard let stack, last.foreign == nil, last.isCodeKnown else { return nil }
        if let found = Self.onStack(last, reason, stack, memory) {
            self = found
        } else if let found = Self.delayed(last, reason, of: snapshot, stack, memory) {
            self = found
        } else {
            return nil
        }
    }

    private init(
        _ exception: ExceptionSnapshot, _ stack: ReportStack, _ finding: Diagnosis.Finding
    ) {
        self.exception = exception
        self.stack = stack
        self.finding = finding
    }

    private static func onStack(
        _ last: ExceptionSnapshot, _ reason: DeathReason, _ stack: ReportStack,
        _ memory: ReadableMemory
    ) -> FirstFault? {
        // The outermost is the earliest.
        guard let position = stack.frames.lastIndex(where: { $0.handledSignal?.isFault == true }),
            let handled = stack.frames[position].handledSignal
        else { return nil }
        // rt_tgsigqueueinfo(2) can send the same siginfo again.
        guard isSame(handled, last, memory) || reason.sender?.isTheProcessItself == true
        else { return nil }
        var exception = handled.exception
        exception.threadID = last.threadID
        let rest = stack.frames[(position + 1)...]
        let base = rest.first?.index ?? 0
        var inner = stack
        inner.frames = rest.map { frame in
            var frame = frame
            frame.index -= base
            return frame
        }
        let handler = stack.frames[..<position].last { !$0.isInlined }
        let name = handler.flatMap(\.shortPlace).map { ", \($0)," } ?? ""
        let what =
            last.signal == handled.signal
            ? "raised the signal again" : "ended the process with \(reason.signalName)"
        return FirstFault(
            exception, inner,
            .init(
                "The program's own handler\(name) \(what); this is about the fault it was called "
                    + "for.",
                evidence: "The stack holds the signal that the kernel saved for the handler: "
                    + "\(handled.words). "
                    + "The last signal is \(reason.headline)."))
    }

    /// A filed report has only signal, code and address; then the thread must be in a system call,
    /// where the kernel reports no instruction fault.
    private static func isSame(
        _ handled: HandledSignal, _ last: ExceptionSnapshot, _ memory: ReadableMemory
    ) -> Bool {
        guard let info = handled.info else { return false }
        if let other = last.signalInfo { return info == other.array }
        let first = handled.exception
        guard first.signal == last.signal, first.code == last.code, first.address == last.address,
            let registers = last.registers
        else { return false }
        switch registers {
        case .x86_64, .aarch64: return isInSystemCall(registers, memory)
        case .named, .pointers: return false
        }
    }

    /// A signal is blocked while its handler runs (sigaction(2)), so raise(3) in the handler takes
    /// effect on return, just before the failed instruction is retried.
    private static func delayed(
        _ last: ExceptionSnapshot, _ reason: DeathReason, of snapshot: ProcessSnapshot,
        _ stack: ReportStack, _ memory: ReadableMemory
    ) -> FirstFault? {
        guard reason.sender?.isTheProcessItself == true, let registers = last.registers,
            !isInSystemCall(registers, memory),
            var fault = LastTrap.exception(registers, of: snapshot, memory),
            fault.signal == last.signal
        else { return nil }
        fault.threadID = last.threadID
        return FirstFault(
            fault, stack,
            .init(
                "The program's own handler was called for it and raised the signal again; that "
                    + "took effect when the handler returned.",
                evidence: "The last signal is \(reason.headline), and the sender is the process "
                    + "itself; but the thread was at the instruction that failed, not in a system "
                    + "call."))
    }

    private static func isInSystemCall(
        _ registers: RegisterSnapshot, _ memory: ReadableMemory
    ) -> Bool {
        let pointer = registers.instructionPointer
        switch registers {
        case .x86_64: return memory.bytes(at: pointer &- 2, atMost: 2) == [0x0f, 0x05]
        case .aarch64:
            return memory.bytes(at: pointer &- 4, atMost: 4) == [0x01, 0x00, 0x00, 0xd4]
        case .named, .pointers: return true
        }
    }
}
