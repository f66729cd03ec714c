// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum NullPointer {
    /// An address this close to 0 is an offset even if no register is null.
    private static let page: UInt64 = 4096
    /// The limit if a register is null: an index into a missing array can be large.
    private static let furthest: UInt64 = 16 << 20

    static func diagnose(_ scene: CrashScene, _ address: UInt64) -> Diagnosis? {
        let isAbove = address < furthest
        let isBelow = address > UInt64.max - page
        guard isAbove || isBelow, !isByStackPointer(scene),
            scene.reason.code == 1 || address < page,
            scene.addressSpace?.mapping(at: address) == nil,
            scene.reason.code == 1 || !scene.lacksMaps
        else { return nil }
        let offset = isAbove ? address.hex : "-" + (0 &- address).hex
        let verb = scene.access.pastTense
        let target = address == 0 ? "a null pointer" : "offset \(offset) of a null pointer"
        guard let register = nullRegister(scene, address) else {
            guard address < page, !isContradicted(scene) else { return nil }
            return withoutRegister(scene, address, "\(verb) \(target)")
        }
        var diagnosis = Diagnosis(
            kind: .nullDereference, headline: "\(verb) \(target) (\(register))")
        if let instruction = scene.instruction, let fault = scene.fault {
            diagnosis.add("\(register) was null.", evidence: fault.evidence(instruction))
        }
        return diagnosis
    }

    /// A stack pointer that is nowhere near a stack was lost, and was no pointer of the program's.
    private static func isByStackPointer(_ scene: CrashScene) -> Bool {
        scene.fault?.access.operand.base.map { ["rsp", "sp"].contains($0.wholeName) } == true
    }

    /// An emulator of another processor's programs gives 0 for addresses that its own processor
    /// refuses: QEMU, host_signal_handler in linux-user/signal.c.
    private static func isContradicted(_ scene: CrashScene) -> Bool {
        guard scene.fault == nil, let instruction = scene.instruction,
            let registers = scene.registers
        else { return false }
        let accesses = FaultingAccess.all(
            instruction, registers, segmentBase: scene.threadDataAddress)
        return !accesses.isEmpty && accesses.allSatisfy { $0.address >= furthest }
    }

    private static func nullRegister(_ scene: CrashScene, _ address: UInt64) -> String? {
        guard let fault = scene.fault else { return nil }
        let operand = fault.access.operand
        guard let pointer = operand.base ?? (operand.scale == 1 ? operand.index : nil),
            pointer.value(in: fault.registers) == 0
        else { return nil }
        // If two registers are added, either may be the pointer; the non-null one may be wild.
        let isClear = operand.base == nil || operand.index == nil || operand.scale > 1
        return isClear || address < page || address > UInt64.max - page ? pointer.name : nil
    }

    /// Small numbers are not addresses: an offset was added to null, or the pointer was set to one.
    private static func withoutRegister(
        _ scene: CrashScene, _ address: UInt64, _ headline: String
    ) -> Diagnosis {
        var diagnosis = Diagnosis(kind: .nullDereference, headline: headline)
        let rule = "The address is \(address.hex); nothing is mapped below \(page.hex)."
        guard let instruction = scene.instruction, let fault = scene.fault else {
            diagnosis.add("The pointer was null, or null and an offset.", evidence: rule)
            return diagnosis
        }
        let names = fault.parts.map(\.name)
        if !names.isEmpty { diagnosis.headline += " (\(fault.expression))" }
        diagnosis.add(
            "The offset is \(names.isEmpty ? "written in the instruction" : "in a register")"
                + ": the null pointer itself is not to be seen.",
            evidence: "\(fault.evidence(instruction)) \(rule)")
        return diagnosis
    }
}
