// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

final class CrashScene {
    let snapshot: ProcessSnapshot
    let exception: ExceptionSnapshot
    let reason: DeathReason
    let registers: RegisterSnapshot?
    let stack: ReportStack?
    let memory: ReadableMemory
    let addressSpace: AddressSpace?
    let code: FaultingCode?
    /// Nil if its bytes are unknown.
    let instruction: DecodedInstruction?
    /// Base of thread-local memory.
    let threadDataAddress: UInt64?
    let fault: FaultingAccess?
    let heap: ExplainedHeap?

    init(
        _ exception: ExceptionSnapshot, _ reason: DeathReason, of snapshot: ProcessSnapshot,
        thread: ExplainedThread? = nil, stack: ReportStack?, memory: ReadableMemory,
        heap: ExplainedHeap? = nil
    ) {
        self.heap = heap
        self.snapshot = snapshot
        self.exception = exception
        self.reason = reason
        self.memory = memory
        registers = exception.registers ?? thread?.registers
        self.stack = stack
        addressSpace = AddressSpace(snapshot)
        threadDataAddress =
            thread?.thread.threadDataAddress
            ?? snapshot.crashingThread?.threadDataAddress
        guard let registers, CrashScene.isFault(exception), reason.access != .execute,
            let around = FaultingCode.around(
                CrashScene.faultingAddress(exception, registers, snapshot, memory),
                architecture: snapshot.architecture, memory: memory,
                functionStart: CrashScene.functionStart(stack))
        else {
            (code, instruction, fault) = (nil, nil, nil)
            return
        }
        code = around.code
        instruction = around.instruction
        guard let address = reason.address,
            [SignalNumber.segmentationFault, SignalNumber.bus].contains(exception.signal)
        else {
            fault = nil
            return
        }
        fault = FaultingAccess(
            around.instruction, registers, at: address, of: snapshot,
            segmentBase: threadDataAddress)
    }

    var frames: [ReportFrame] { stack?.frames ?? [] }

    /// False of what no pointer of x86_64 can be.
    func isCanonical(_ address: UInt64) -> Bool {
        snapshot.architecture != .x86_64 || GeneralProtection.isCanonical(address)
    }

    /// True if the maps may have been cut off.
    var lacksMaps: Bool { addressSpace == nil && snapshot.isCut }

    /// True if a cut dump may lack the signal's sender or the process id.
    var lacksSender: Bool {
        guard snapshot.isCut else { return false }
        return reason.sender == nil ? exception.signalInfo == nil : snapshot.process.id == nil
    }

    /// True if the thread itself sent the signal: raise(3), kill(2).
    var isRaisedHere: Bool {
        NoiseFrames.raisesSignal(frames) || SendingCall.isDone(in: self)
    }

    /// The use of the address, according to the processor or the instruction.
    var access: DeathReason.Access? { reason.access ?? fault?.direction }

    private static func functionStart(_ stack: ReportStack?) -> UInt64? {
        guard let frame = stack?.frames.first(where: { !$0.isInlined }), frame.index == 0,
            let offset = frame.functionOffset, offset <= frame.address
        else { return nil }
        return frame.address - offset
    }

    /// Signals raised by an instruction, not sent by a process.
    private static func isFault(_ exception: ExceptionSnapshot) -> Bool {
        guard exception.isCodeKnown else { return SignalNumber.faults.contains(exception.signal) }
        let isLate = SignalTable.code(exception.code, of: exception.signal)?.name == "SEGV_MTEAERR"
        return SignalNumber.faults.contains(exception.signal)
            && !SignalTable.hasSender(code: exception.code) && !isLate
    }

    /// `int3` is the only instruction whose trap points behind it: Intel SDM 3A, 6.15.
    private static func faultingAddress(
        _ exception: ExceptionSnapshot, _ registers: RegisterSnapshot, _ snapshot: ProcessSnapshot,
        _ memory: ReadableMemory
    ) -> UInt64 {
        let pointer = registers.instructionPointer
        guard exception.signal == SignalNumber.trap, snapshot.architecture == .x86_64, pointer > 0,
            memory.bytes(at: pointer - 1, atMost: 1) == [0xcc]
        else { return pointer }
        return pointer - 1
    }
}

extension CrashScene {
    /// The innermost frame of the program itself, not of a runtime.
    var placeInProgram: String? {
        NoiseFrames.firstOfProgram(frames, snapshot.modules)?.shortPlace
    }
}

extension ReportFrame {
    /// For sentences: `parse (table.c:12)`.
    var shortPlace: String? {
        guard let function = shortFunction else {
            return place.map { "\($0.moduleName)+\($0.offset.hex)" }
        }
        guard let source else { return function }
        let file = source.file.lastPathComponent
        return "\(function) (\(file)\(source.line.map { ":\($0)" } ?? ""))"
    }
}
