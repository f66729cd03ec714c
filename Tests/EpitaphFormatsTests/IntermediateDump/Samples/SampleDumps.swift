// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues

/// One dump of each architecture with every section of docs/dump-format.md, small enough to be cut
/// and flipped at every byte.
enum SampleDumps {
    static let all: [(name: String, bytes: [UInt8])] = [
        ("sample-x86_64", x86_64), ("sample-aarch64", aarch64), ("sample-head-x86_64", head),
        ("sample-first-record-x86_64", firstRecord),
    ]

    static let x86_64 = dump(
        machine: 62, registers: x86Registers, floats: xsave, stackPointer: 0x7ffd_0000_1000)
    static let aarch64 = dump(
        machine: 183, registers: arm64Registers, floats: fpsimdRecords,
        stackPointer: 0xffff_d000_1000)

    static let bootID: [UInt8] = Array(0xb0...0xbf)
    static let uuid: [UInt8] = Array(0x10...0x1f)
    static let buildID: [UInt8] = Array(0xe0..<0xf4)
    static let stack: [UInt8] = Array(0x80..<0xc0)
    static let mapsPieces = ["00400000-00401000 r-xp 00000000 fe:00 17 ", "/usr/bin/orderd\n"]

    /// Registers numbered in the order of struct sigcontext: r8 is 0x1000, r9 0x1001 and so on.
    static let x86Registers: [UInt8] = {
        var builder = ByteBuilder()
        for index in 0..<18 { builder.append(UInt64(0x1000 + index)) }
        for segment in [0x33, 0x44, 0x55, 0x2b] as [UInt16] { builder.append(segment) }
        for value in [6, 14, 0, 0xdead] as [UInt64] { builder.append(value) }
        return builder.bytes
    }()

    /// fault_address 0xdead, x0 0x2000 to x30 0x201e, sp, pc, pstate.
    static let arm64Registers: [UInt8] = {
        var builder = ByteBuilder()
        builder.append(0xdead as UInt64)
        for index in 0..<31 { builder.append(UInt64(0x2000 + index)) }
        for value in [0xffff_d000_1000, 0x40_0123, 0x6000_0000] as [UInt64] {
            builder.append(value)
        }
        return builder.bytes
    }()

    static let xsave: [UInt8] = (0..<512).map { UInt8(truncatingIfNeeded: $0 / 16) }

    /// ESR_MAGIC, then FPSIMD_MAGIC, then the end record.
    static let fpsimdRecords: [UInt8] = {
        var builder = ByteBuilder()
        for value in [0x4553_5201, 16, 0x9200_0046, 0] as [UInt32] { builder.append(value) }
        for value in [0x4650_8001, 528, 0x10, 0x20] as [UInt32] { builder.append(value) }
        for index in 0..<512 { builder.append(UInt8(truncatingIfNeeded: index / 16)) }
        builder.appendZeros(8)
        return builder.bytes
    }()

    /// si_signo 11, si_errno 0, si_code 1, si_addr 0xdead.
    static let signalInfo: [UInt8] = {
        var builder = ByteBuilder()
        for value in [11, 0, 1, 0] as [Int32] { builder.append(value) }
        builder.append(0xdead as UInt64)
        builder.appendZeros(104)
        return builder.bytes
    }()

    /// The bytes up to where a process that never crashes stops writing.
    static func launch(machine: UInt16 = 62, headBytes: UInt32? = nil) -> DumpBuilder {
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.add(.architecture, machine)
        dump.map(.launchRecord) {
            $0.add(.launchPID, 4711)
            $0.add(.launchStartTicks, 123_456)
            $0.add(.launchBootID, bytes: bootID)
            $0.add(.launchPIDNamespace, 4_026_531_836)
            $0.add(.launchTime, seconds: 1_763_700_000, microseconds: 250_000)
            $0.add(.launchBundleID, "org.example.orderd")
            $0.add(.launchUUID, bytes: uuid)
            $0.add(.launchExecutable, "/usr/bin/orderd")
            if let headBytes { $0.add(.headBytes, headBytes) }
        }
        return dump
    }

    private static func dump(
        machine: UInt16, registers: [UInt8], floats: [UInt8], stackPointer: UInt64
    ) -> [UInt8] {
        var dump = launch(machine: machine)
        addSections(to: &dump, registers, floats, stackPointer)
        return dump.finished
    }

    static func addSections(
        to dump: inout DumpBuilder, _ registers: [UInt8], _ floats: [UInt8], _ stackPointer: UInt64
    ) {
        dump.map(.signalException) {
            $0.add(.signalNumber, 11)
            $0.add(.signalCode, 1)
            $0.add(.signalAddress, 0xdead)
            $0.add(.signalInfo, bytes: signalInfo)
            $0.add(.signalErrno, 0)
            $0.add(.threadID, 4712)
            $0.add(.threadState, bytes: registers)
            $0.array(.threadContextMemoryRegions) { $0.region(0x5000, [1, 2, 3, 4]) }
        }
        addFacts(to: &dump)
        addThreads(to: &dump, registers, floats, stackPointer)
        addModules(to: &dump)
        addRest(to: &dump)
    }
}
