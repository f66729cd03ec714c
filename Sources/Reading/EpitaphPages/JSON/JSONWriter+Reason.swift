// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

extension JSONWriter {
    /// The last signal, and the first fault if the process's own handler then ended it.
    mutating func write(reasons explanation: CrashExplanation) {
        let snapshot = explanation.snapshot
        write(.reason, explanation.reason, snapshot.exception, of: snapshot)
        write(.firstFault, explanation.firstFault, explanation.firstException, of: snapshot) {
            $0.write(explanation.firstException?.registers)
        }
    }

    private mutating func write(
        _ key: JSONKey, _ reason: DeathReason?, _ exception: ExceptionSnapshot?,
        of snapshot: ProcessSnapshot, more: (inout JSONWriter) -> Void = { _ in }
    ) {
        guard let reason, let exception else { return }
        object(key) { writer in
            writer.object(.signal) { writer in
                // Other systems' exceptions have only names.
                if exception.foreign == nil { writer.member(.number, exception.signal) }
                writer.member(.name, reason.signalName)
            }
            if reason.isCodeKnown {
                writer.object(.code) { writer in
                    writer.member(.number, reason.code)
                    writer.member(.name, reason.codeName)
                }
            }
            writer.member(.meaning, reason.meaning)
            writer.member(.headline, reason.headline)
            writer.member(.address, hex: reason.address)
            writer.member(.access, reason.access?.rawValue)
            if let sender = reason.sender {
                writer.write(sender, isOwnIDKnown: snapshot.process.id != nil)
            }
            writer.member(.systemCall, reason.systemCall)
            writer.member(.errorNumber, exception.errorNumber)
            writer.member(.threadID, exception.threadID)
            writer.array(.notes, reason.notes)
            writer.write(FaultFacts(exception))
            more(&writer)
        }
    }

    private mutating func write(_ sender: DeathReason.Sender, isOwnIDKnown: Bool) {
        object(.sender) { writer in
            writer.member(.processID, sender.processID)
            writer.member(.userID, sender.userID)
            if isOwnIDKnown { writer.member(.isTheProcessItself, sender.isTheProcessItself) }
        }
    }

    private mutating func write(_ fault: FaultFacts) {
        guard !fault.isEmpty else { return }
        object(.fault) { writer in
            writer.member(.trapNumber, fault.trapNumber)
            writer.member(.errorCode, hex: fault.errorCode)
            writer.member(.address, hex: fault.address)
        }
    }

    mutating func write(_ diagnosis: Diagnosis?) {
        guard let diagnosis else { return }
        object(.diagnosis) { writer in
            writer.member(.kind, diagnosis.kind.rawValue)
            writer.member(.headline, diagnosis.headline)
            writer.write(.findings, diagnosis.findings)
            guard let code = diagnosis.code else { return }
            writer.array(.instructions, code.instructions) { $0.write($1) }
        }
    }

    mutating func write(_ key: JSONKey, _ findings: [Diagnosis.Finding]) {
        objects(key, findings) { writer, finding in
            writer.member(.statement, finding.statement)
            if !finding.evidence.isEmpty { writer.member(.evidence, finding.evidence) }
        }
    }

    private mutating func write(_ instruction: FaultingCode.Instruction) {
        object { writer in
            writer.member(.address, hex: instruction.address)
            writer.member(.bytes, instruction.bytes.hexDigits)
            writer.member(.text, instruction.text)
            writer.member(.isAtFault, instruction.isAtFault)
        }
    }

    mutating func write(_ signature: CrashSignature?) {
        guard let signature else { return }
        object(.signature) { writer in
            writer.member(.text, signature.text)
            writer.member(.identifier, signature.identifier)
            writer.member(.family, signature.family)
            writer.member(.function, signature.function)
        }
    }

    mutating func write(_ messages: [CrashMessage]) {
        objects(.messages, messages) { writer, message in
            writer.member(.source, message.source)
            writer.member(.text, message.text)
        }
    }
}

/// The processor's facts about a fault. The kernel leaves these numbers in a thread's registers, so
/// a sent signal has those of an earlier fault; dumps of other programs have none.
struct FaultFacts {
    var trapNumber: UInt64?
    var errorCode: UInt64?
    var address: UInt64?

    var isEmpty: Bool { trapNumber == nil && errorCode == nil && address == nil }

    init(_ exception: ExceptionSnapshot) {
        // Only the kernel gives codes above 0: sigaction(2).
        guard exception.foreign == nil, exception.isCodeKnown, exception.code > 0,
            Self.signals.contains(exception.signal)
        else { return }
        switch exception.registers {
        case .x86_64(let registers): put(registers, signal: exception.signal)
        case .aarch64(let registers):
            // A page fault's address is also the signal's; other dumps have 0 if there is none.
            guard registers.faultAddress != 0 || exception.address == 0,
                [SignalNumber.segmentationFault, SignalNumber.bus].contains(exception.signal)
            else { return }
            address = registers.faultAddress
        case .named, .pointers, nil: break
        }
    }

    private mutating func put(_ registers: X86Registers, signal: Int32) {
        // Trap 0 is the divide error; for other signals it means unknown.
        guard registers.trapNumber != 0 || signal == SignalNumber.arithmetic else { return }
        trapNumber = registers.trapNumber
        if Self.trapsWithErrorCode.contains(registers.trapNumber) {
            errorCode = registers.errorCode
        }
        if registers.trapNumber == Self.pageFault { address = registers.cr2 }
    }

    /// ILL, TRAP, BUS, FPE, SEGV
    private static let signals: Set<Int32> = [4, 5, 7, 8, 11]
    // Intel SDM 3A, table 6-1. Only the page fault sets cr2.
    private static let pageFault: UInt64 = 14
    private static let trapsWithErrorCode: Set<UInt64> = [8, 10, 11, 12, 13, 14, 17, 21]
}
