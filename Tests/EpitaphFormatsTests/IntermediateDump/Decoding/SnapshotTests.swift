// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Foundation
import Testing

@Suite("From a whole dump to a snapshot")
struct WholeDumpTests {
    private let snapshot: ProcessSnapshot

    init() throws {
        snapshot = try IntermediateDump.snapshot(from: ByteSlice(SampleDumps.x86_64))
    }

    @Test("The exception has its signal, its thread and the registers at the fault")
    func exception() throws {
        let exception = try #require(snapshot.exception)
        #expect(exception.signal == 11)
        #expect(exception.code == 1)
        #expect(exception.address == 0xdead)
        #expect(exception.errorNumber == 0)
        #expect(exception.senderProcessID == nil)
        #expect(exception.threadID == 4712)
        #expect(exception.signalInfo?.array == SampleDumps.signalInfo)
        #expect(exception.registers?.instructionPointer == 0x1010)
        #expect(snapshot.crashingThread?.name == "worker")
    }

    @Test("x86_64 registers come in the kernel's order")
    func x86Registers() throws {
        guard case .x86_64(let registers)? = snapshot.threads.first?.registers else {
            Issue.record("no x86_64 registers")
            return
        }
        let values = Dictionary(uniqueKeysWithValues: registers.named.map { ($0.name, $0.value) })
        let order = [
            "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx",
            "rdx", "rax", "rcx", "rsp", "rip", "rflags",
        ]
        #expect(order.map { values[$0] } == (UInt64(0x1000)..<0x1012).map(Optional.init))
        #expect(
            [registers.cs, registers.gs, registers.fs, registers.ss] == [0x33, 0x44, 0x55, 0x2b])
        #expect(registers.errorCode == 6)
        #expect(registers.trapNumber == 14)
        #expect(registers.cr2 == 0xdead)
        #expect(registers.floatingPoint?.array == SampleDumps.xsave)
    }

    @Test("aarch64 registers and vectors come in the kernel's order")
    func arm64Registers() throws {
        let snapshot = try IntermediateDump.snapshot(from: ByteSlice(SampleDumps.aarch64))
        #expect(snapshot.architecture == .aarch64)
        guard case .aarch64(let registers)? = snapshot.threads.first?.registers else {
            Issue.record("no aarch64 registers")
            return
        }
        #expect(registers.faultAddress == 0xdead)
        #expect(registers.syndrome == 0x9200_0046)
        #expect(registers.x == Array(0x2000..<0x201f))
        #expect(registers.sp == 0xffff_d000_1000)
        #expect(registers.pc == 0x40_0123)
        #expect(registers.pstate == 0x6000_0000)
        #expect(registers.fpsr == 0x10)
        #expect(registers.fpcr == 0x20)
        #expect(registers.vectors?.array == (0..<512).map { UInt8($0 / 16) })
    }

    @Test("A complete thread has its stack, its scheduling and its thread control block")
    func completeThread() throws {
        let thread = try #require(snapshot.threads.first)
        #expect(thread.id == 4712)
        #expect(thread.completeness == .complete)
        #expect(thread.whyIncomplete == nil)
        #expect(
            thread.stack
                == MemoryRegion(address: 0x7ffd_0000_1000, bytes: ByteSlice(SampleDumps.stack)))
        #expect(thread.threadDataAddress == 0x7f00_0000_0700)
        #expect(thread.priority == 20)
        #expect(thread.schedulingPolicy == 1)
        #expect(thread.nice == -5)
        #expect(thread.runState == "R")
    }

    @Test("A thread that did not stop has two pointers, one that ended has its id; both say why")
    func incompleteThreads() throws {
        #expect(snapshot.threads.map(\.id) == [4712, 4711, 4713])
        let partial = snapshot.threads[1]
        #expect(partial.completeness == .partial)
        #expect(partial.whyIncomplete == "the thread blocks the signal that stops threads")
        #expect(
            partial.registers == .pointers(instruction: 0x40_0456, stack: 0x7ffd_0000_2000))
        #expect(partial.systemCall == 202)
        #expect(snapshot.threads[2].completeness == .missing)
        #expect(snapshot.threads[2].whyIncomplete == "the thread had ended")
    }

    @Test("Modules have their range, kind, build id and image")
    func modules() {
        #expect(snapshot.modules.map(\.name) == ["orderd", "linux-vdso.so.1"])
        #expect(snapshot.modules.map(\.kind) == [.executable, .vdso])
        #expect(snapshot.modules[0].addressRange == 0x40_0000..<0x40_1000)
        #expect(snapshot.modules[0].buildID == SampleDumps.buildID)
        #expect(snapshot.modules[0].loadBias == 0)
        #expect(snapshot.modules[0].dynamicSectionAddress == 0x40_0e00)
        #expect(snapshot.modules[1].soname == "linux-vdso.so.1")
        #expect(snapshot.modules[1].image?.array == [0x7f, 0x45, 0x4c, 0x46])
        #expect(snapshot.dynamicLinker?.version == 1)
        #expect(snapshot.dynamicLinker?.breakpointAddress == 0x7f00_1000)
        #expect(snapshot.dynamicLinker?.baseAddress == 0x7f00_0000)
        #expect(snapshot.dynamicLinker?.dynamicSectionAddress == 0x40_0e00)
        #expect(snapshot.dynamicLinker?.dynamicSection.count == 8)
    }

    @Test("Process and system facts are there")
    func facts() {
        var process = ProcessFacts()
        process.id = 4711
        process.parentID = 1
        process.userID = 33
        process.startTime = Timestamp(secondsSince1970: 1_763_700_000)
        process.snapshotTime = Timestamp(secondsSince1970: 1_763_703_600.5)
        process.userTimeSeconds = 2.5
        process.systemTimeSeconds = 1.25
        process.uptimeNanoseconds = 3_600_000_000_000
        #expect(snapshot.process == process)

        var system = SystemFacts()
        system.kernelName = "Linux"
        system.kernelRelease = "6.1.0-18"
        system.kernelVersion = "#1 SMP"
        system.machine = "test"
        system.processorCount = 4
        system.processorVendor = "GenuineIntel"
        system.processorSignature = 0x806c1
        system.processorFeatures = 0xbfeb_fbff
        system.hardwareCapabilities = 2
        system.hardwareCapabilities2 = 3
        system.pageSize = 4096
        system.addressMask = 0xffff_ffff_ffff
        #expect(snapshot.system == system)
    }

    @Test("Messages, annotations, command line and environment are there")
    func words() {
        #expect(
            snapshot.messages == [
                CrashMessage(source: "swift", text: "Fatal error: out of \"cheese\"\n")
            ])
        #expect(
            snapshot.annotations == [
                Annotation(name: "prod", value: "orderd"), Annotation(name: "ver", value: "1.0"),
            ])
        #expect(snapshot.commandLine?.text == "orderd\0--port\0")
        #expect(snapshot.environment == ["LANG=C.UTF-8"])
    }

    @Test("A file in pieces is put together, a file in one piece is a slice of the dump")
    func files() throws {
        let bytes = ByteSlice(SampleDumps.x86_64)
        let files = try IntermediateDump.snapshot(from: bytes).files
        #expect(files.maps?.text == SampleDumps.mapsPieces.joined())
        #expect(files.status?.text == "Name:\torderd\n")
        #expect(files.osRelease?.text == "ID=debian\n")
        #expect(files.auxv == nil)
        #expect(files.others.isEmpty)
        // A slice of the same memory has its place in the file as range.
        let range = try #require(files.status?.range)
        #expect(bytes.slice(from: range.lowerBound, length: range.count).text == "Name:\torderd\n")
    }

    @Test("Memory of the exception, the threads and the root is in one list")
    func memory() {
        #expect(
            snapshot.memory == [
                MemoryRegion(address: 0x5000, bytes: ByteSlice([1, 2, 3, 4])),
                MemoryRegion(address: 0x6000, bytes: ByteSlice([5, 6, 7, 8])),
                MemoryRegion(address: 0x40_0100, bytes: ByteSlice([0x0f, 0x0b])),
            ])
    }

    @Test("What the handler could not capture is said in words")
    func captureDamage() {
        #expect(
            snapshot.damage == [
                Damage(
                    stage: .capture, subject: "stack of thread 4711",
                    reason: "the memory could not be read", errorNumber: 14)
            ])
        #expect(snapshot.capture?.durationNanoseconds == 12_000_000)
        #expect(snapshot.capture?.threadsFound == 3)
        #expect(snapshot.capture?.threadsStopped == 1)
    }

    @Test("The launch record says who the process was")
    func launch() {
        var launch = LaunchRecord()
        launch.processID = 4711
        launch.startTicks = 123_456
        launch.bootID = Epitaph.ID("b0b1b2b3-b4b5-b6b7-b8b9-babbbcbdbebf")
        launch.pidNamespace = 4_026_531_836
        launch.time = Timestamp(secondsSince1970: 1_763_700_000.25)
        launch.bundleID = "org.example.orderd"
        launch.uuid = Epitaph.ID("10111213-1415-1617-1819-1a1b1c1d1e1f")
        launch.executablePath = "/usr/bin/orderd"
        #expect(snapshot.launch == launch)
    }
}
