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

    /// x86_64 gives no address for a refused alignment: Intel SDM 3A, 6.15, interrupt 17.
    private static func misaligned(_ scene: CrashScene, _ address: UInt64) -> Diagnosis {
        let code = "The signal's code is BUS_ADRALN."
        let statement = "The instruction needs an aligned address."
        guard address == 0, let instruction = scene.instruction, let registers = scene.registers
        else {
            return Diagnosis(
                kind: .misalignedAccess,
                headline: address == 0
                    ? "used an address that is not aligned"
                    : "\(place(scene, address)), which is not aligned", statement,
                evidence: code + (instructionEvidence(scene).map { " \($0)" } ?? ""))
        }
        let accesses = FaultingAccess.all(
            instruction, registers, segmentBase: scene.threadDataAddress)
        let fault = accesses.first { fault in
            fault.access.byteCount.map { $0 > 1 && fault.address % UInt64($0) != 0 } ?? false
        }
        guard let fault, let count = fault.access.byteCount else {
            return Diagnosis(
                kind: .misalignedAccess, headline: "used an address that is not aligned", statement,
                evidence: "\(code) The instruction at fault is `\(instruction.text)`.")
        }
        let source = fault.parts.isEmpty ? "" : " (\(fault.expression))"
        return Diagnosis(
            kind: .misalignedAccess,
            headline: "\(fault.direction.pastTense) \(fault.address.hex)\(source), which is not a "
                + "multiple of \(count)",
            "The program turned alignment checks on, and the address of \(count) bytes must be a "
                + "multiple of \(count).", evidence: "\(code) \(fault.evidence(instruction))")
    }

    private static func missing(_ scene: CrashScene, _ address: UInt64) -> Diagnosis {
        let found = scene.addressSpace?.mapping(at: address)
        guard let mapping = found, mapping.hasFile else {
            return Diagnosis(
                kind: .pastEndOfFile,
                headline: "\(place(scene, address)), where the mapping has no memory behind it",
                found == nil
                    ? "A mapped file ends before this address, or a file system or huge pages ran "
                        + "out of space."
                        // do_swap_page in mm/memory.c, handle_userfault in fs/userfaultfd.c.
                    : "No file is mapped there: the page could not be read back from swap, or a "
                        + "userfaultfd(2) refused it.",
                evidence: "The signal's code is BUS_ADRERR"
                    + (found.map { ", and the mapping is \($0.line)." } ?? "."))
        }
        var diagnosis = Diagnosis(
            kind: .pastEndOfFile,
            headline: "\(place(scene, address)), where the mapped file \(mapping.path) has no data")
        diagnosis.add(
            whyNoData(mapping, address),
            evidence: "The signal's code is BUS_ADRERR, and the mapping is \(mapping.line).")
        if let evidence = instructionEvidence(scene), let fault = scene.fault {
            diagnosis.add(
                "The address comes from \(MemoryFaultDiagnosis.registerList(fault)).",
                evidence: evidence)
        }
        return diagnosis
    }

    /// The kernel does not tell which of them it was: mm/shmem.c, mm/filemap.c, mm/hugetlb.c.
    private static func whyNoData(_ mapping: MemoryMapping, _ address: UInt64) -> String {
        // What the kernel calls MAP_HUGETLB's memory: mm/mmap.c.
        if mapping.path.hasPrefix("/anon_hugepage") { return "No huge page was free for it." }
        let (offset, overflow) = mapping.fileOffset.addingReportingOverflow(
            address - mapping.addressRange.lowerBound)
        let position = overflow ? "before it" : "before byte \(offset)"
        return "The file ends \(position) (it was made shorter after it was mapped, or was never "
            + "so long), or its file system is full or failed to read it."
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
