// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

@testable import EpitaphMinidump

/// Made-up processes with something in every stream.
enum Samples {
    static let reportID = Epitaph.ID("00112233-4455-6677-8899-aabbccddeeff")!
    static let clientID = Epitaph.ID("01020304-0506-0708-090a-0b0c0d0e0f10")!
    static let stackBase: UInt64 = 0x7ffc_1000_0000
    static let workerStackBase: UInt64 = 0x7f10_2000_0000
    static let vdsoBase: UInt64 = 0x7ffc_2000_0000

    static func bytes(_ count: Int, seed: UInt8) -> ByteSlice {
        ByteSlice((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) &+ seed })
    }

    static let maps = ByteSlice(
        Array(
            """
            555555554000-555555556000 r-xp 00000000 fe:00 1234 /srv/none/greeter
            555555556000-555555557000 rw-p 00002000 fe:00 1234 /srv/none/greeter
            7f1010000000-7f1010020000 r-xp 00000000 fe:00 99 /srv/none/libhello.so.1
            7f1020000000-7f1020001000 rw-p 00000000 00:00 0
            7f1030000000-7f1030001000 rw-s 00000000 00:01 5 /dev/shm/queue
            7ffc10000000-7ffc10001000 rw-p 00000000 00:00 0 [stack]
            7ffc20000000-7ffc20001000 r-xp 00000000 00:00 0 [vdso]

            """.utf8))

    static var x86_64: ProcessSnapshot {
        var snapshot = common(.x86_64)
        var registers = X86Registers()
        registers.rip = 0x5555_5555_4123
        registers.rsp = stackBase + 0x80
        registers.rbp = stackBase + 0x100
        (registers.rax, registers.rbx, registers.rcx, registers.rdx) = (1, 2, 3, 4)
        (registers.rsi, registers.rdi, registers.r8, registers.r9) = (5, 6, 7, 8)
        (registers.r10, registers.r11, registers.r12, registers.r13) = (9, 10, 11, 12)
        (registers.r14, registers.r15, registers.rflags) = (13, 14, 0x10246)
        (registers.cs, registers.fs, registers.gs, registers.ss) = (0x33, 0x10, 0x11, 0x2b)
        registers.floatingPoint = bytes(512, seed: 3)
        var worker = X86Registers()
        worker.rip = 0x7f10_1000_0456
        worker.rsp = workerStackBase + 0x40
        snapshot.system.machine = "x86_64"
        snapshot.system.processorVendor = "GenuineIntel"
        snapshot.system.processorSignature = 0x000a_06a4
        snapshot.system.processorFeatures = 0xbfeb_fbff
        snapshot.exception?.registers = .x86_64(registers)
        snapshot.threads[1].registers = .x86_64(registers)
        snapshot.threads[0].registers = .x86_64(worker)
        return snapshot
    }

    static var aarch64: ProcessSnapshot {
        var snapshot = common(.aarch64)
        var registers = ARM64Registers()
        registers.x = (0..<31).map { 0x1000 + UInt64($0) }
        registers.pc = 0x5555_5555_4123
        registers.sp = stackBase + 0x80
        registers.pstate = 0x6000_0000
        registers.vectors = bytes(512, seed: 9)
        (registers.fpsr, registers.fpcr) = (0x10, 0x0300_0000)
        var worker = ARM64Registers()
        worker.pc = 0x7f10_1000_0456
        worker.sp = workerStackBase + 0x40
        snapshot.system.machine = "aarch64"
        snapshot.system.addressMask = 0x0000_ffff_ffff_ffff
        snapshot.exception?.registers = .aarch64(registers)
        snapshot.threads[1].registers = .aarch64(registers)
        snapshot.threads[0].registers = .aarch64(worker)
        return snapshot
    }

    private static func common(_ architecture: Architecture) -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: architecture)
        snapshot.process = process
        snapshot.system.kernelName = "Linux"
        snapshot.system.kernelRelease = "6.1.0-18-amd64"
        snapshot.system.kernelVersion = "#1 SMP Debian 6.1.76-1"
        snapshot.system.processorCount = 4
        snapshot.system.pageSize = 4096
        snapshot.system.hardwareCapabilities = 0xfb
        snapshot.system.hardwareCapabilities2 = 2
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0xdead_beef)
        exception.threadID = 4711
        snapshot.exception = exception
        snapshot.threads = threads
        snapshot.modules = modules
        snapshot.dynamicLinker = dynamicLinker
        snapshot.memory = [MemoryRegion(address: 0x5555_5555_4100, bytes: bytes(64, seed: 1))]
        snapshot.annotations = [
            Annotation(name: "prod", value: "greeter"), Annotation(name: "größe", value: "12 µm"),
        ]
        snapshot.messages = [
            CrashMessage(source: "swift", text: "Fatal error: Index out of range"),
            CrashMessage(source: "glibc", text: "malloc(): corrupted top size"),
        ]
        snapshot.files = files
        snapshot.damage = [
            Damage(
                stage: .capture, subject: "memory at 0x10", reason: "the memory could not be read",
                errorNumber: 14),
            Damage(
                stage: .capture, subject: "thread 4713",
                reason: "the thread blocks the signal that stops threads"),
        ]
        return snapshot
    }

    private static var process: ProcessFacts {
        var process = ProcessFacts()
        process.id = 4711
        process.parentID = 1
        process.userID = 1000
        process.startTime = Timestamp(secondsSince1970: 1_700_000_000)
        process.snapshotTime = Timestamp(secondsSince1970: 1_700_000_100)
        process.userTimeSeconds = 7
        process.systemTimeSeconds = 3
        process.uptimeNanoseconds = 99_000_000_001
        return process
    }

    /// The crashing thread is the second; of the fourth only the id is known.
    private static var threads: [ThreadSnapshot] {
        var worker = ThreadSnapshot(id: 4712, completeness: .complete)
        worker.name = "worker"
        worker.stack = MemoryRegion(address: workerStackBase, bytes: bytes(160, seed: 5))
        worker.threadDataAddress = 0x7f10_2000_0f00
        (worker.schedulingPolicy, worker.nice, worker.priority) = (0, -5, 0)
        var main = ThreadSnapshot(id: 4711, completeness: .complete)
        main.name = "greeter"
        main.stack = MemoryRegion(address: stackBase, bytes: bytes(400, seed: 6))
        var busy = ThreadSnapshot(id: 4713, completeness: .partial)
        busy.name = "busy"
        busy.registers = .pointers(instruction: 0x7f10_1000_0777, stack: 0x7f10_2000_0800)
        busy.whyIncomplete = "the thread blocks the signal that stops threads"
        return [worker, main, busy, ThreadSnapshot(id: 4714, completeness: .missing)]
    }

    private static var modules: [ModuleSnapshot] {
        var executable = ModuleSnapshot(
            path: "/srv/none/greeter", addressRange: 0x5555_5555_4000..<0x5555_5555_7000,
            kind: .executable)
        executable.buildID = (1...20).map { UInt8($0) }
        executable.loadBias = 0x5555_5555_4000
        executable.dynamicSectionAddress = 0x5555_5555_6010
        var library = ModuleSnapshot(
            path: "/srv/none/libhello.so.1", addressRange: 0x7f10_1000_0000..<0x7f10_1002_0000,
            kind: .sharedObject)
        library.buildID = (21...40).map { UInt8($0) }
        library.loadBias = 0x7f10_1000_0000
        library.dynamicSectionAddress = 0x7f10_1001_f000
        var vdso = ModuleSnapshot(
            path: "linux-vdso.so.1", addressRange: vdsoBase..<vdsoBase + 4096, kind: .vdso)
        vdso.buildID = (41...60).map { UInt8($0) }
        vdso.image = bytes(4096, seed: 8)
        return [executable, library, vdso]
    }

    private static var dynamicLinker: DynamicLinkerSnapshot {
        var linker = DynamicLinkerSnapshot()
        linker.version = 1
        linker.breakpointAddress = 0x7f10_1100_0010
        linker.baseAddress = 0x7f10_1100_0000
        linker.dynamicSectionAddress = 0x5555_5555_6010
        linker.dynamicSection = bytes(48, seed: 2)
        return linker
    }

    private static var files: SystemFiles {
        var files = SystemFiles()
        files.maps = maps
        files.status = text("Name:\tgreeter\nPid:\t4711\nPPid:\t1\nUid:\t1000\t1000\t1000\t1000\n")
        var auxv = ByteBuilder()
        for word: UInt64 in [6, 4096, 16, 0xfb, 26, 2, 0, 0] { auxv.append(word) }
        files.auxv = ByteSlice(auxv.bytes)
        files.limits = text("Limit                     Soft Limit\nMax open files  1024\n")
        files.cpuinfo = text("processor\t: 0\nmicrocode\t: 0x42\n")
        files.osRelease = text("ID=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n")
        return files
    }

    static func text(_ string: String) -> ByteSlice { ByteSlice(Array(string.utf8)) }
}

/// A snapshot's minidump as one array.
func minidump(
    of snapshot: ProcessSnapshot, reportID: Epitaph.ID? = Samples.reportID,
    clientID: Epitaph.ID? = Samples.clientID, limit: UInt64 = MinidumpWriter.offsetLimit
) -> [UInt8] {
    var builder = ByteBuilder()
    MinidumpWriter(snapshot: snapshot, reportID: reportID, clientID: clientID, limit: limit)
        .write(to: &builder)
    return builder.bytes
}
