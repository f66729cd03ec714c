// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// SIGFPE. x86_64 traps alike for a zero divisor and quotient overflow: Intel SDM 2A, DIV and IDIV.
enum DivisionDiagnosis {
    private static let integerDivision: Int32 = 1

    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard scene.exception.signal == SignalNumber.arithmetic, scene.reason.sender == nil else {
            return nil
        }
        if !scene.reason.isCodeKnown, let division = division(scene) { return division }
        guard scene.reason.code == integerDivision else {
            return Diagnosis(
                kind: .arithmetic, headline: "failed at arithmetic: \(scene.reason.meaning)",
                "The processor or the kernel reported \(scene.reason.meaning).",
                evidence: "The signal's code is \(scene.reason.codeName ?? "unknown").")
        }
        return division(scene) ?? unknownDivision(scene)
    }

    private static func unknownDivision(_ scene: CrashScene) -> Diagnosis {
        let isX86 = [.x86_64, .x86].contains(scene.snapshot.architecture)
        return Diagnosis(
            kind: isX86 ? .arithmetic : .divideByZero,
            headline: isX86 ? "failed at an integer division" : "divided an integer by zero",
            isX86
                ? "The divisor was zero, or the quotient too large."
                : "The divisor was zero.", evidence: "The signal's code is FPE_INTDIV.")
    }

    private struct Divisor {
        let name: String
        let value: UInt64
        let bitCount: Int
    }

    private static func division(_ scene: CrashScene) -> Diagnosis? {
        guard let instruction = scene.instruction, let registers = scene.registers,
            ["div", "idiv"].contains(instruction.mnemonic),
            let divisor = divisor(of: instruction, registers, scene)
        else { return nil }
        let evidence =
            "The instruction at fault is `\(instruction.text)`, and \(divisor.name) is "
        if divisor.value == 0 {
            return Diagnosis(
                kind: .divideByZero, headline: "divided an integer by zero (\(divisor.name))",
                "The divisor, \(divisor.name), was 0.", evidence: evidence + "0.")
        }
        return overflow(instruction, divisor, evidence, registers)
    }

    private static func divisor(
        of instruction: DecodedInstruction, _ registers: RegisterSnapshot, _ scene: CrashScene
    ) -> Divisor? {
        switch instruction.operands.first {
        case .register(let register):
            return register.value(in: registers).map {
                Divisor(name: register.name, value: $0, bitCount: register.bitCount)
            }
        case .memory:
            guard
                let fault = FaultingAccess.all(
                    instruction, registers, segmentBase: scene.threadDataAddress
                ).first, let byteCount = fault.access.byteCount, (1...8).contains(byteCount),
                case let bytes = scene.memory.bytes(at: fault.address, atMost: byteCount),
                bytes.count == byteCount
            else { return nil }
            return Divisor(
                name: "the number at \(fault.expression)",
                value: bytes.littleEndian,
                bitCount: 8 * byteCount)
        default: return nil
        }
    }

    private static func overflow(
        _ instruction: DecodedInstruction, _ divisor: Divisor, _ evidence: String,
        _ registers: RegisterSnapshot
    ) -> Diagnosis {
        let mask: UInt64 =
            divisor.bitCount >= 64 ? .max : 1 << UInt64(divisor.bitCount) - 1
        let isMinusOne = instruction.mnemonic == "idiv" && divisor.value == mask
        let smallest: UInt64 = 1 << UInt64(divisor.bitCount - 1)
        let low = Register("rax").value(in: registers).map { $0 & mask }
        let high = Register("rdx").value(in: registers).map { $0 & mask }
        let value = isMinusOne ? "-1" : divisor.value.hex
        guard isMinusOne, divisor.bitCount > 8, low == smallest, high == mask else {
            return Diagnosis(
                kind: .arithmetic,
                headline: "divided integers whose quotient does not fit in "
                    + "\(divisor.bitCount) bits (by \(divisor.name))",
                "The divisor was \(value), not zero.", evidence: "\(evidence)\(value).")
        }
        return Diagnosis(
            kind: .arithmetic,
            headline: "divided the smallest \(divisor.bitCount)-bit integer by -1 "
                + "(\(divisor.name))",
            "The quotient is one more than \(divisor.bitCount) bits can hold.",
            evidence: "\(evidence)-1; the dividend is the smallest integer, "
                + "\(smallest.hex) with its sign in rdx.")
    }
}
