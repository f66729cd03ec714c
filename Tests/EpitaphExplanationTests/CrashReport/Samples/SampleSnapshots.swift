// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues
import Foundation

/// Snapshots put together by hand.
enum Sample {
    /// A daemon of three threads; the second wrote to a null pointer.
    static func crash() -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.id = 4711
        snapshot.process.parentID = 1
        snapshot.process.userID = 1000
        // 2026-08-22 03:04:05 UTC
        snapshot.process.startTime = Timestamp(secondsSince1970: 1_787_367_845)
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447.5)
        snapshot.system.kernelName = "Linux"
        snapshot.system.kernelRelease = "6.1.0-18-amd64"
        snapshot.system.processorCount = 8
        var launch = LaunchRecord()
        launch.bundleID = "com.example.sampled"
        launch.uuid = Epitaph.ID("01234567-89AB-CDEF-0123-456789ABCDEF")
        launch.executablePath = "/usr/bin/sampled"
        snapshot.launch = launch
        snapshot.modules = modules
        snapshot.threads = [
            thread(4711, "sampled", at: 0x7f00_0000_2010), thread(4712, "worker", at: 0x40_1234),
            thread(4713, nil, at: 0x7f00_0000_2010),
        ]
        snapshot.exception = nullWrite(thread: 4712)
        snapshot.annotations = [Annotation(name: "version", value: "1.2.3")]
        return snapshot
    }

    static let modules: [ModuleSnapshot] = {
        var executable = ModuleSnapshot(
            path: "/usr/bin/sampled", addressRange: 0x40_0000..<0x40_8000, kind: .executable)
        executable.loadBias = 0x40_0000
        executable.buildID = [0x01, 0xab, 0xff]
        var library = ModuleSnapshot(
            path: "/lib/libc.so.6", addressRange: 0x7f00_0000_0000..<0x7f00_0010_0000,
            kind: .sharedObject)
        library.loadBias = 0x7f00_0000_0000
        return [executable, library]
    }()

    static func thread(_ id: UInt64, _ name: String?, at address: UInt64) -> ThreadSnapshot {
        var thread = ThreadSnapshot(id: id, completeness: .complete)
        thread.name = name
        thread.registers = .x86_64(registers(rip: address))
        return thread
    }

    static func registers(rip: UInt64) -> X86Registers {
        var registers = X86Registers()
        registers.rip = rip
        registers.rsp = 0x7ffc_0000_1000
        return registers
    }

    /// A page fault (trap 14) on a write (error code 6: write, from user mode; Intel SDM 3A, 4.7).
    static func nullWrite(thread: UInt64) -> ExceptionSnapshot {
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0x10)
        exception.threadID = thread
        var registers = registers(rip: 0x40_1234)
        registers.trapNumber = 14
        registers.errorCode = 6
        registers.rax = 0x10
        exception.registers = .x86_64(registers)
        return exception
    }

    static func frame(
        _ index: Int, _ address: UInt64, _ function: String?, at source: ReportFrame.Source? = nil
    ) -> ReportFrame {
        var frame = ReportFrame(index: index, address: address)
        frame.place = ReportFrame.Place(address, in: modules)
        frame.function = function
        frame.source = source
        return frame
    }

    static func text(of explanation: CrashExplanation) -> String {
        TextReport(explanation).lines.joined(separator: "\n")
    }

    static func text(_ snapshot: ProcessSnapshot, stacks: [ReportStack?] = []) -> String {
        text(of: CrashExplanation(snapshot, stacks: stacks))
    }
}
