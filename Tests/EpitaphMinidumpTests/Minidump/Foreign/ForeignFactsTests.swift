// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite("Facts of minidumps that others wrote")
struct ForeignFactsTests {
    private func exception(
        signal: UInt32, code: Int32 = 0, address: UInt64, processor: UInt16 = 9, user: Int = 1000
    ) throws -> ExceptionSnapshot {
        var file = HandMadeMinidump(processor: processor)
        file.addThread()
        file.addException(signal, flags: UInt32(bitPattern: code), address: address)
        file.add(0x4767_0004, Array("Pid:\t77\nPPid:\t1\nUid:\t\(user)\t0\t0\t0\n".utf8))
        return try #require(try MinidumpReader.read(file.bytes).snapshot.exception)
    }

    @Test(
        "A fault's signal that was sent has a sender and no address, where Breakpad wrote both as one"
    )
    func sentFault() throws {
        let own = try exception(signal: 11, address: 1000 << 32 | 77)
        #expect(own.senderProcessID == 77 && own.senderUserID == 1000 && own.address == 0)
        let other = try exception(signal: 11, address: 1000 << 32 | 4_000)
        #expect(other.senderProcessID == 4_000 && other.address == 0)
        // A code of kill(2) and its kin leaves no doubt, whoever sent it.
        let queued = try exception(signal: 7, code: -6, address: 5 << 32 | 1)
        #expect(queued.senderProcessID == 1 && queued.senderUserID == 5 && queued.address == 0)
    }

    @Test(
        "A status file of a thread names its process, which sent itself what abort raises"
    )
    func threadStatus() throws {
        var file = HandMadeMinidump()
        file.addThread(80)
        file.addException(6, address: 1000 << 32 | 77)
        let status = "Name:\tworker\nTgid:\t77\nNgid:\t0\nPid:\t80\nPPid:\t1\nUid:\t1000\t0\t0\t0\n"
        file.add(0x4767_0004, Array(status.utf8))
        let snapshot = try MinidumpReader.read(file.bytes).snapshot
        #expect(snapshot.process.id == 77)
        #expect(snapshot.exception?.senderProcessID == 77)
    }

    @Test(
        "Root's signal that came in a system call was sent, and has no address",
        arguments: [([0x0f, 0x05] as [UInt8], 0x3ab9 as Int32?), ([0x8b, 0x05], nil)])
    func sentInSystemCall(before: [UInt8], sender: Int32?) throws {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        var registers = X86Registers()
        registers.rip = 0x40_1002
        var exception = ExceptionSnapshot(signal: 11, code: 0, address: 0x3ab9)
        exception.threadID = 77
        exception.registers = .x86_64(registers)
        snapshot.exception = exception
        snapshot.process.userID = 0
        snapshot.memory = [MemoryRegion(address: 0x40_1000, bytes: ByteSlice(before + [0x48]))]
        snapshot.files.status = ByteSlice(Array("Tgid:\t77\nUid:\t0\t0\t0\t0\n".utf8))
        let read = try #require(
            try MinidumpReader.read(ByteSlice(minidump(of: snapshot))).snapshot.exception)
        #expect(read.senderProcessID == sender)
        #expect(read.address == (sender == nil ? 0x3ab9 : 0))
    }

    @Test(
        "An address stays one where it may be one",
        arguments: [
            (0x45, 1000, 0), (0x45, 0, 0), (0x7f00_0000_0045, 1000, 0), (1000 << 32, 1000, 0),
            (1000 << 32 | 0xffff_ffff, 1000, 0), (1000 << 32 | 77, 1000, 1),
        ] as [(UInt64, Int, Int32)])
    func address(address: UInt64, user: Int, code: Int32) throws {
        let exception = try exception(signal: 11, code: code, address: address, user: user)
        #expect(exception.address == address)
        #expect(exception.senderProcessID == nil)
    }

    @Test("Addresses of 32-bit processes are not extended by their sign")
    func signExtension() throws {
        let fault = try exception(signal: 11, code: 1, address: 0xffff_ffff_dead_beef, processor: 5)
        #expect(fault.address == 0xdead_beef)
        var file = HandMadeMinidump(processor: 0, platform: 2)
        file.addException(
            0xc000_0005, address: 0xffff_ffff_8000_1000, parameters: [1, 0xffff_ffff_ffff_fff0])
        file.addThread(stack: 0xffff_ffff_9000_0000)
        file.addModule("C:\\a.exe", at: 0xffff_ffff_8000_0000)
        let snapshot = try MinidumpReader.read(file.bytes).snapshot
        #expect(snapshot.exception?.foreign?.address == 0x8000_1000)
        #expect(snapshot.exception?.foreign?.parameters == [1, 0xffff_fff0])
        #expect(snapshot.modules.first?.addressRange.lowerBound == 0x8000_0000)
        // Of 64 bits every one counts.
        #expect(try exception(signal: 11, code: 1, address: .max).address == .max)
    }

    /// SystemInfo with a version, and the text at its end.
    private func system(_ numbers: [UInt32], _ text: String) throws -> SystemFacts {
        var file = ByteBuilder()
        let units = Array(text.utf16)
        for word in [0x504d_444d, 0xa793, 1, 32, 0, 0, 0, 0, 7, 56, 44] as [UInt32] {
            file.append(word)
        }
        file.append(UInt16(9))
        file.appendZeros(6)
        for number in numbers { file.append(number) }
        file.append(UInt32(0x8201))
        file.append(UInt32(100))
        file.appendZeros(28)
        file.append(UInt32(units.count * 2))
        units.forEach { file.append($0) }
        file.append(UInt16(0))
        return try MinidumpReader.read(ByteSlice(file.bytes)).snapshot.system
    }

    @Test("Crashpad's kernel is in the numbers and in the rest of the release")
    func crashpadKernel() throws {
        let crashpad = try system([6, 1, 0], "-18-amd64 #1 SMP Debian 6.1.76-1 x86_64")
        #expect(crashpad.kernelName == "Linux")
        #expect(crashpad.kernelRelease == "6.1.0-18-amd64")
        #expect(crashpad.kernelVersion == "#1 SMP Debian 6.1.76-1")
        #expect(crashpad.machine == "x86_64")
        let plain = try system([5, 4, 3], " #7 SMP x86_64")
        #expect(plain.kernelRelease == "5.4.3" && plain.kernelVersion == "#7 SMP")
        let breakpad = try system([6, 1, 0], "Linux 6.1.0-18-amd64 #1 SMP x86_64")
        #expect(breakpad.kernelName == "Linux" && breakpad.kernelRelease == "6.1.0-18-amd64")
        #expect(try system([6, 1, 2], "").kernelRelease == "6.1.2")
        #expect(try system([0, 0, 0], "").kernelRelease == nil)
    }

    @Test("What a writer left zero because it did not know is not known")
    func unknown() throws {
        #expect(try system([6, 1, 0], "").processorCount == nil)
        var file = HandMadeMinidump()
        file.addThread()
        file.add(15, words([24, 3, 77, 0, 0, 0] as [UInt32]))
        let process = try MinidumpReader.read(file.bytes).snapshot.process
        #expect(process.id == 77)
        #expect(process.startTime == nil)
    }
}
