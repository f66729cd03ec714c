// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite("A minidump that is read again")
struct RoundTripTests {
    @Test("gives the snapshot it was made from", arguments: Architecture.captured)
    func everything(architecture: Architecture) throws {
        let original = architecture == .x86_64 ? Samples.x86_64 : Samples.aarch64
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: original)))
        let snapshot = contents.snapshot
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.reportID == Samples.reportID)
        #expect(contents.clientID == Samples.clientID)
        #expect(snapshot.architecture == architecture)
        #expect(snapshot.process == original.process)
        #expect(snapshot.system == original.system)
        #expect(snapshot.modules == original.modules)
        #expect(snapshot.dynamicLinker == original.dynamicLinker)
        #expect(snapshot.memory == original.memory)
        #expect(snapshot.annotations == original.annotations)
        #expect(snapshot.messages == original.messages)
        #expect(snapshot.files == original.files)
        #expect(snapshot.damage == original.damage)
        #expect(snapshot.commandLine == nil)
        #expect(snapshot.environment.isEmpty)
    }

    @Test("has the libraries that were unloaded")
    func unloaded() throws {
        var original = Samples.x86_64
        original.unloadedModules = ["/usr/lib/plugin.so", "/opt/other.so"].enumerated().map {
            let start = 0x7f00_0000_0000 + UInt64($0) << 20
            return ModuleSnapshot(
                path: $1, addressRange: start..<start + 0x5000, kind: .sharedObject)
        }
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: original)))
        #expect(contents.snapshot.unloadedModules == original.unloadedModules)
        #expect(contents.readingDamage.isEmpty)
    }

    @Test("has the crashing thread first and the others in order", arguments: Architecture.captured)
    func threads(architecture: Architecture) throws {
        let original = architecture == .x86_64 ? Samples.x86_64 : Samples.aarch64
        let snapshot = try MinidumpReader.read(ByteSlice(minidump(of: original))).snapshot
        #expect(snapshot.threads.map(\.id) == [4711, 4712, 4713, 4714])
        for expected in original.threads {
            let thread = try #require(snapshot.threads.first { $0.id == expected.id })
            #expect(thread.name == expected.name)
            #expect(thread.completeness == expected.completeness)
            #expect(thread.whyIncomplete == expected.whyIncomplete)
            #expect(thread.registers == expected.registers)
            #expect(thread.stack == expected.stack)
            #expect(thread.threadDataAddress == expected.threadDataAddress)
            #expect(thread.nice == expected.nice)
            #expect(thread.schedulingPolicy == expected.schedulingPolicy)
            #expect(thread.priority == expected.priority)
        }
    }

    @Test("tells the signal as it was", arguments: Architecture.captured)
    func exception(architecture: Architecture) throws {
        let original = architecture == .x86_64 ? Samples.x86_64 : Samples.aarch64
        let snapshot = try MinidumpReader.read(ByteSlice(minidump(of: original))).snapshot
        let exception = try #require(snapshot.exception)
        #expect(exception.signal == 11)
        #expect(exception.code == 1)
        #expect(exception.address == 0xdead_beef)
        #expect(exception.threadID == 4711)
        #expect(exception.registers == original.exception?.registers)
        #expect(exception.senderProcessID == nil)
    }

    @Test("becomes the same bytes when it is written again", arguments: Architecture.captured)
    func again(architecture: Architecture) throws {
        let original = architecture == .x86_64 ? Samples.x86_64 : Samples.aarch64
        let first = minidump(of: original)
        let snapshot = try MinidumpReader.read(ByteSlice(first)).snapshot
        #expect(minidump(of: snapshot) == first)
    }

    @Test("names the sender of a signal, with the words Crashpad stores")
    func sender() throws {
        var original = Samples.x86_64
        original.exception?.signal = 6
        original.exception?.code = -6
        original.exception?.address = 0
        original.exception?.senderProcessID = 4711
        original.exception?.senderUserID = 1000
        let bytes = minidump(of: original)
        let raw = RawMinidump(bytes: bytes)
        let record = raw.offset(6) + 8
        #expect(raw.u32(record + 24) == 3)
        #expect((0..<3).map { raw.u64(record + 32 + 8 * $0) } == [4711, 1000, 0])
        let exception = try MinidumpReader.read(ByteSlice(bytes)).snapshot.exception
        #expect(exception?.code == -6)
        #expect(exception?.senderProcessID == 4711)
        #expect(exception?.senderUserID == 1000)
    }

    @Test("tells a write from a read, as the processor did")
    func faultWords() throws {
        var original = Samples.x86_64
        guard case .x86_64(var registers)? = original.exception?.registers else { return }
        registers.trapNumber = 14
        registers.errorCode = 6
        registers.cr2 = 0xdead_beef
        original.exception?.registers = .x86_64(registers)
        let bytes = minidump(of: original)
        let raw = RawMinidump(bytes: bytes)
        let record = raw.offset(6) + 8
        #expect(raw.u32(record + 24) == 3)
        #expect((0..<3).map { raw.u64(record + 32 + 8 * $0) } == [14, 6, 0xdead_beef])
        let exception = try MinidumpReader.read(ByteSlice(bytes)).snapshot.exception
        #expect(exception?.registers == .x86_64(registers))
        #expect(exception?.senderProcessID == nil)
    }

    @Test("keeps the syndrome of a fault on aarch64")
    func syndrome() throws {
        var original = Samples.x86_64
        original.architecture = .aarch64
        var registers = ARM64Registers()
        (registers.syndrome, registers.faultAddress) = (0x9200_0046, 0xdead_beef)
        original.exception?.registers = .aarch64(registers)
        let exception = try MinidumpReader.read(ByteSlice(minidump(of: original))).snapshot
            .exception
        #expect(exception?.registers == .aarch64(registers))
        #expect(exception?.senderProcessID == nil)
    }

    @Test("names the system call seccomp denied")
    func systemCall() throws {
        var original = Samples.x86_64
        original.exception?.signal = 31
        original.exception?.code = 1
        var information = [UInt8](repeating: 0, count: 128)
        information[24] = 101
        information[28] = 0x3e
        original.exception?.signalInfo = ByteSlice(information)
        let exception = try MinidumpReader.read(ByteSlice(minidump(of: original))).snapshot
            .exception
        #expect(exception?.signalInfo?.byte(at: 0) == 31)
        #expect(exception?.signalInfo?.byte(at: 24) == 101)
        #expect(exception?.signalInfo?.byte(at: 28) == 0x3e)
        #expect(exception?.signalInfo?.count == 128)
    }

    @Test("keeps the bundle id, and times to the microsecond")
    func facts() throws {
        var original = Samples.x86_64
        original.launch = LaunchRecord()
        original.launch?.bundleID = "org.example"
        original.process.startTime = Timestamp(secondsSince1970: 1_700_000_000.25)
        original.process.snapshotTime = Timestamp(secondsSince1970: 1_700_000_000.75)
        let snapshot = try MinidumpReader.read(ByteSlice(minidump(of: original))).snapshot
        #expect(snapshot.launch?.bundleID == "org.example")
        #expect(snapshot.process == original.process)
        #expect(snapshot.annotations == original.annotations)
    }

    @Test("holds command line and environment when the snapshot does")
    func commandLine() throws {
        var original = Samples.x86_64
        original.commandLine = Samples.text("greeter\0--port\0001234\0")
        original.environment = ["LANG=C.UTF-8", "TZ=UTC"]
        let bytes = minidump(of: original)
        let raw = RawMinidump(bytes: bytes)
        #expect(raw.stream(0x4767_0007) == Array("LANG=C.UTF-8\0TZ=UTC\0".utf8))
        let snapshot = try MinidumpReader.read(ByteSlice(bytes)).snapshot
        #expect(snapshot.commandLine == original.commandLine)
        #expect(snapshot.environment == original.environment)
    }

    @Test("makes up no processors and no start of the process", arguments: Architecture.captured)
    func unknownNumbers(architecture: Architecture) throws {
        var original = ProcessSnapshot(architecture: architecture)
        original.process.id = 4711
        original.process.userTimeSeconds = 2
        let snapshot = try MinidumpReader.read(ByteSlice(minidump(of: original))).snapshot
        #expect(snapshot.system.processorCount == nil)
        #expect(snapshot.process.startTime == nil)
    }

    @Test("needs no more than an architecture")
    func nothing() throws {
        let bytes = minidump(
            of: ProcessSnapshot(architecture: .aarch64), reportID: nil, clientID: nil)
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.snapshot.architecture == .aarch64)
        #expect(contents.snapshot.threads.isEmpty)
        #expect(contents.snapshot.exception == nil)
        #expect(contents.reportID == nil)
    }
}
