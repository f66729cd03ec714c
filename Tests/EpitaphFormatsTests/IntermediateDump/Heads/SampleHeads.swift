// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump

/// Dumps with a head: what was stored before the first system call, and what was written after it.
extension SampleDumps {
    static let headBytes = 4096
    static let firstStack: [UInt8] = Array(0x80..<0x90)

    /// A crash whose sections follow behind the head.
    static let head: [UInt8] = {
        var dump = headOfCrash()
        dump.fill(to: headBytes)
        addSections(to: &dump, x86Registers, xsave, 0x7ffd_0000_1000)
        return dump.finished
    }()

    /// A crash of which nothing but the first record was stored.
    static let firstRecord: [UInt8] = {
        var dump = headOfCrash()
        dump.fill(to: headBytes)
        return dump.bytes
    }()

    static func headOfCrash() -> DumpBuilder {
        var dump = launch(headBytes: UInt32(headBytes))
        addFirstRecord(to: &dump)
        return dump
    }

    static func addFirstRecord(
        to dump: inout DumpBuilder, threadID: UInt64 = 4712, pid: Int32 = 4711,
        seconds: Int64 = 1_763_703_600
    ) {
        dump.map(.firstRecord) {
            $0.add(.signalNumber, 11)
            $0.add(.signalCode, 1)
            $0.add(.signalAddress, 0xdead)
            $0.add(.signalInfo, bytes: signalInfo)
            $0.add(.pid, pid)
            $0.add(.threadID, threadID)
            $0.add(.snapshotTime, seconds: seconds, microseconds: 0)
            $0.add(.threadState, bytes: x86Registers)
            $0.add(.stackRegionAddress, 0x7ffd_0000_1000)
            $0.add(.stackRegionData, bytes: firstStack)
            $0.array(.messages) {
                $0.map {
                    $0.add(.messageSource, "app")
                    $0.add(.messageText, "stored first")
                }
            }
        }
    }
}
