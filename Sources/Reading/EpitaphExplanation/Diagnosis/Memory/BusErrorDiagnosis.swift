// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// SIGBUS: sigaction(2), mmap(2).
enum BusErrorDiagnosis {
    private enum Code {
        static let alignment: Int32 = 1
        static let noMemory: Int32 = 2
        static let consumedError: Int32 = 4
        static let foundError: Int32 = 5
    }

    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard scene.exception.signal == SignalNumber.bus, let address = scene.reason.address else {
            return nil
        }
        switch scene.reason.code {
        case Code.alignment: return misaligned(scene, address)
        case Code.noMemory: return missing(scene, address)
        case Code.consumedError, Code.foundError: return hardware(scene, address)
        default: return nil
        }
    }

    private static func place(_ scene: CrashScene, _ address: UInt64) -> String {
        "\(scene.access.pastTense) \(address.hex)\(MemoryFaultDiagnosis.source(scene))"
    }

    private static func misaligned(_ scene: CrashScene, _ address: UInt64) -> Diagnosis {
        return Diagnosis(
            kind: .misalignedAccess,
            headline: "\(place(scene, address)), which is not aligned",
            "The instruction needs an aligned address.",
            evidence: "The signal's code is BUS_ADRALN."
                + (instructionEvidence(scene).map { " \($0)" } ?? ""))
    }

    private static func missing(_ scene: CrashScene, _ address: UInt64) -> Diagnosis {
        guard let mapping = scene.addressSpace?.mapping(at: address), mapping.hasFile else {
            return Diagnosis(
                kind: .pastEndOfFile,
                headline: "\(place(scene, address)), where the mapping has no memory behind it",
                "A mapped file ends before this address, or a file system or huge pages ran "
                    + "out of space.", evidence: "The signal's code is BUS_ADRERR.")
        }
        var diagnosis = Diagnosis(
            kind: .pastEndOfFile,
            headline: "\(place(scene, address)), past the end of the mapped file \(mapping.path)")
        let (offset, overflow) = mapping.fileOffset.addingReportingOverflow(
            address - mapping.addressRange.lowerBound)
        let position = overflow ? "" : " at byte \(offset)"
        diagnosis.add(
            "The file had nothing\(position): it was made shorter after it was mapped, or was "
                + "never so long.",
            evidence: "The signal's code is BUS_ADRERR, and the mapping is \(mapping.line).")
        if let evidence = instructionEvidence(scene), let fault = scene.fault {
            diagnosis.add(
                "The address comes from \(MemoryFaultDiagnosis.registerList(fault)).",
                evidence: evidence)
        }
        return diagnosis
    }

    private static func hardware(_ scene: CrashScene, _ address: UInt64) -> Diagnosis {
        return Diagnosis(
            kind: .hardwareMemoryError,
            headline: "met a hardware error in memory at \(address.hex)",
            "The machine's memory is faulty, not the program; the kernel log has more.",
            evidence: "The signal's code is \(scene.reason.codeName ?? "BUS_MCEERR").")
    }

    private static func instructionEvidence(_ scene: CrashScene) -> String? {
        guard let fault = scene.fault, let instruction = scene.instruction else { return nil }
        return fault.evidence(instruction)
    }
}
