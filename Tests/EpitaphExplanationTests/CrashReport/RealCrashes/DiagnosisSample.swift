// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Crashes put together by hand, of which everything but what a test is about is ordinary.
struct DiagnosisSample {
    var snapshot: ProcessSnapshot

    static let code: UInt64 = 0x40_1234
    static let maps = """
        00400000-00408000 r-xp 00000000 fe:00 17 /usr/bin/sampled
        00608000-0060a000 rw-p 00008000 fe:00 17 /usr/bin/sampled
        01000000-01100000 rw-p 00000000 00:00 0 [heap]
        7f1000000000-7f1000010000 r--p 00000000 fe:00 18 /usr/share/table
        7f1000010000-7f1000011000 ---p 00000000 00:00 0
        7f1000011000-7f1000811000 rw-p 00000000 00:00 0
        7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]

        """

    /// - Parameters:
    ///   - instruction: the bytes at the instruction pointer.
    ///   - pageFault: the page fault's error code; nil for another trap.
    init(
        _ architecture: Architecture = .x86_64, signal: Int32 = 11, code: Int32 = 1,
        address: UInt64 = 0, instruction: [UInt8] = [], pageFault: UInt64? = nil
    ) {
        snapshot = ProcessSnapshot(architecture: architecture)
        snapshot.process.id = 4711
        snapshot.files.maps = ByteSlice(Array(Self.maps.utf8))
        var exception = ExceptionSnapshot(signal: signal, code: code, address: address)
        exception.threadID = 4711
        switch architecture {
        case .aarch64:
            var registers = ARM64Registers()
            registers.pc = Self.code
            registers.sp = 0x7ffc_0000_1000
            exception.registers = .aarch64(registers)
        default:
            var registers = X86Registers()
            registers.rip = Self.code
            registers.rsp = 0x7ffc_0000_1000
            registers.trapNumber = pageFault == nil ? 13 : 14
            registers.errorCode = pageFault ?? 0
            exception.registers = .x86_64(registers)
        }
        snapshot.exception = exception
        snapshot.threads = [ThreadSnapshot(id: 4711, completeness: .complete)]
        if !instruction.isEmpty { add(instruction, at: Self.code) }
    }

    mutating func add(_ bytes: [UInt8], at address: UInt64) {
        snapshot.memory.append(MemoryRegion(address: address, bytes: ByteSlice(bytes)))
    }

    mutating func setX86(_ change: (inout X86Registers) -> Void) {
        guard case .x86_64(var registers) = snapshot.exception?.registers else { return }
        change(&registers)
        snapshot.exception?.registers = .x86_64(registers)
    }

    mutating func setARM(_ change: (inout ARM64Registers) -> Void) {
        guard case .aarch64(var registers) = snapshot.exception?.registers else { return }
        change(&registers)
        snapshot.exception?.registers = .aarch64(registers)
    }

    var explanation: CrashExplanation { CrashExplanation(snapshot, stacks: []) }
    var diagnosis: Diagnosis? { explanation.diagnosis }

    /// Statements and evidence in one text.
    var words: String {
        (diagnosis?.findings ?? []).map { "\($0.statement) [\($0.evidence)]" }
            .joined(separator: "\n")
    }
}

extension DiagnosisSample {
    /// Of an abort(3) whose stack has these functions, the innermost first.
    static func abort(in names: [String]) -> CrashExplanation {
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        let frames = names.enumerated().map { index, name in
            var frame = ReportFrame(index: index, address: DiagnosisSample.code)
            frame.function = name
            return frame
        }
        return CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames))
    }
}
