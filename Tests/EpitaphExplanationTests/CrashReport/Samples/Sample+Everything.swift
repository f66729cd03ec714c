// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

@testable import EpitaphExplanation

extension Sample {
    /// A crash that has a value for everything a snapshot can hold.
    static func everything() -> ProcessSnapshot {
        var snapshot = crash()
        snapshot.process.userTimeSeconds = 12.25
        snapshot.process.systemTimeSeconds = 0.00001
        snapshot.process.uptimeNanoseconds = 602_500_000_001
        completeSystem(&snapshot.system)
        completeLaunch(&snapshot)
        snapshot.exception?.senderProcessID = 99
        snapshot.exception?.errorNumber = 5
        snapshot.modules[1].soname = "libc.so.6"
        snapshot.threads[0].runState = "S"
        snapshot.threads[0].systemCall = 202
        snapshot.threads[0].priority = 5
        snapshot.threads[0].schedulingPolicy = 1
        snapshot.threads[0].nice = -3
        snapshot.threads[0].threadDataAddress = 0x7f00_1234_0000
        snapshot.threads[1].stack = MemoryRegion(
            address: 0x7ffc_0000_0f80, bytes: ByteSlice((0..<512).map { UInt8($0 % 256) }))
        var partial = ThreadSnapshot(id: 4714, completeness: .partial)
        partial.whyIncomplete = "it did not stop in time"
        partial.registers = .pointers(instruction: 0x7f00_0000_2010, stack: 0x7ffd_0000_0000)
        snapshot.threads.append(partial)
        snapshot.memory = [
            MemoryRegion(address: 0x40_1200, bytes: ByteSlice([UInt8](repeating: 0x90, count: 128)))
        ]
        snapshot.messages = [CrashMessage(source: "swift", text: "Fatal error: no ledger\n")]
        snapshot.annotations.append(Annotation(name: "trail", value: trail))
        snapshot.breadcrumbs = breadcrumbs
        snapshot.commandLine = ByteSlice(Array("sampled\0--port\08080\0".utf8))
        snapshot.environment = ["LANG=C.UTF-8"]
        snapshot.damage = [
            Damage(stage: .capture, subject: "thread 4714", reason: "no answer", errorNumber: 110),
            Damage(stage: .reading, subject: "modules", reason: "the list is cut"),
        ]
        snapshot.capture = capture
        completeFiles(&snapshot.files)
        return snapshot
    }

    static let trail = """
        2026-08-22T03:13:59.5Z opened the ledger
        2026-08-22T03:14:06Z began to pay out
        """

    /// The snapshot is of 03:14:07.5, 602.500000001 s after the start of Epitaph.
    static let breadcrumbs: [Breadcrumb] = {
        func noted(
            _ number: UInt64, at time: UInt64, uptime: UInt64?, _ level: Breadcrumb.Level,
            _ category: String, _ message: String
        ) -> Breadcrumb {
            Breadcrumb(
                number: number, timeNanoseconds: time, uptimeNanoseconds: uptime, level: level,
                category: category, message: message)
        }
        let second: UInt64 = 1_000_000_000
        let crash = 1_787_368_447 * second + second / 2
        let end = 602 * second + second / 2 + 1
        var slow = noted(
            3, at: crash - 2 * second - 300_000_000, uptime: end - 2 * second - 300_000_000,
            .warning, "http", "GET /orders took 3 s")
        slow.isCut = true
        return [
            noted(2, at: crash - 500 * second, uptime: nil, .info, "", "the clock alone knows"),
            slow,
            // The clock was set back by an hour here.
            noted(
                4, at: crash - 3601 * second, uptime: end - second, .error, "sql",
                "lost\nthe connection"),
            noted(5, at: crash, uptime: end + 1_000_000, .debug, "late", "noted meanwhile"),
        ]
    }()

    private static var capture: CaptureSummary {
        var capture = CaptureSummary()
        capture.durationNanoseconds = 12_345_678
        capture.pauseNanoseconds = 9_000_000
        capture.threadsFound = 4
        capture.threadsStopped = 2
        capture.blankedByteCount = 1_048
        return capture
    }

    private static func completeSystem(_ system: inout SystemFacts) {
        system.kernelVersion = "#1 SMP PREEMPT_DYNAMIC Debian"
        system.machine = "x86_64"
        system.processorVendor = "GenuineIntel"
        system.processorSignature = 0x506e3
        system.processorFeatures = 0xbfeb_fbff
        system.hardwareCapabilities = 0xbfeb_fbff
        system.hardwareCapabilities2 = 2
        system.pageSize = 4096
        system.addressMask = 0xffff_ffff_ffff
    }

    private static func completeLaunch(_ snapshot: inout ProcessSnapshot) {
        snapshot.launch?.processID = 4711
        snapshot.launch?.startTicks = 123_456
        snapshot.launch?.bootID = Epitaph.ID("11111111-2222-3333-4444-555555555555")
        snapshot.launch?.pidNamespace = 4_026_531_836
        snapshot.launch?.time = Timestamp(secondsSince1970: 1_787_367_846)
        snapshot.launch?.cleanExitTime = Timestamp(secondsSince1970: 1_787_368_448)
    }

    private static func completeFiles(_ files: inout SystemFiles) {
        files.maps = ByteSlice(Array(maps.utf8))
        files.status = ByteSlice(Array("Name:\tsampled\nState:\tR (running)\n".utf8))
        files.limits = ByteSlice(Array("Limit                     Soft Limit\n".utf8))
        files.cpuinfo = ByteSlice(Array("processor\t: 0\n".utf8))
        files.osRelease = ByteSlice(Array("ID=debian\n".utf8))
        files.auxv = ByteSlice([6, 0, 0, 0])
        files.others = ["/proc/self/cgroup": ByteSlice(Array("0::/\n".utf8))]
    }

    static let maps = """
        00400000-00408000 r-xp 00000000 fe:00 17 /usr/bin/sampled
        00600000-00640000 rw-p 00000000 00:00 0 [heap]
        7f0000000000-7f0000100000 r-xp 00001000 fe:00 18 /lib/libc.so.6
        7f0000200000-7f0000300000 rw-s 00000000 00:00 0
        7ffc00000000-7ffc00002000 rw-p 00000000 00:00 0 [stack]
        this is no line of a map

        """

    /// The stack of the crashing thread with every sort of frame.
    static func everyFrame() -> ReportStack {
        var inlined = frame(
            0, 0x40_1234, "Ledger.write(_:)", at: .init(file: "/src/Ledger.swift", line: 7))
        inlined.isInlined = true
        var waiting = frame(
            1, 0x40_2000, "serve()", at: .init(file: "/src/Server.swift", line: 42, column: 9))
        waiting.isAsyncCaller = true
        var signal = frame(2, 0x7f00_0000_2010, nil)
        signal.isSignalFrame = true
        signal.foundBy = .signalContext
        var scanned = frame(3, 0x7f00_0000_3010, "poll")
        scanned.functionOffset = 0x1f
        scanned.isNameKept = true
        scanned.foundBy = .stackScan
        let recursion = (4..<104).map { frame($0, 0x40_3000, "descend(into:)") }
        var nowhere = frame(104, 0x1_0000_0000, nil)
        nowhere.omission = .stackBytes(7_340_032)
        nowhere.unloadedPlace = .init(libraryName: "plugin.so", offset: 0x10)
        var stack = ReportStack(
            frames: [inlined, frame(0, 0x40_1234, "pay()"), waiting, signal, scanned] + recursion
                + [nowhere], whyIncomplete: "the memory at 0x10 was not captured")
        stack.whyAsyncCallersIncomplete = "the context at 0x20 was not captured"
        stack.isKept = true
        return stack
    }

    /// All of it, explained, with machine code and findings.
    static func everythingExplained() -> CrashExplanation {
        CrashExplanation(
            everything(), stacks: [ReportStack(frames: [frame(0, 0x7f00_0000_2010, "poll")])],
            crashStack: everyFrame(), moduleProblems: [1: "/lib/libc.so.6 was not found"],
            readingNotes: ["1 frame as named when the report was filed"])
    }
}

extension Sample {
    /// Instructions around a write to a null pointer.
    static let code = FaultingCode(instructions: [
        .init(
            address: 0x40_1230, bytes: [0x48, 0x31, 0xc0], text: "xor rax, rax", isAtFault: false),
        .init(
            address: 0x40_1234, bytes: [0xc7, 0x00, 0x05], text: "mov dword ptr [rax], 5",
            isAtFault: true),
    ])
}
