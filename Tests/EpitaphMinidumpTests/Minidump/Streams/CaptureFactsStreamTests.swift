// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphValues
import Testing

@Suite("The capture's facts in a minidump")
struct CaptureFactsStreamTests {
    private static let stream = 0x4570_0003

    private static let snapshot: ProcessSnapshot = {
        var snapshot = Samples.x86_64
        snapshot.modules[0].fileState = .replaced
        snapshot.modules[1].fileState = .same
        snapshot.threads[0].asyncChainCuts = [0x7f00_0000_1230, 0x7f00_0000_4560]
        return snapshot
    }()

    @Test("They come back as they were")
    func roundTrip() throws {
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: Self.snapshot)))
        let modules = Dictionary(
            uniqueKeysWithValues: contents.snapshot.modules.map {
                ($0.addressRange.lowerBound, $0.fileState)
            })
        for module in Self.snapshot.modules {
            #expect(modules[module.addressRange.lowerBound] == .some(module.fileState))
        }
        for thread in Self.snapshot.threads {
            let read = contents.snapshot.threads.first { $0.id == thread.id }
            #expect(read?.asyncChainCuts == thread.asyncChainCuts)
        }
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.streams.contains { $0.type.description == "EpitaphCaptureFacts" })
    }

    @Test("The system call of a thread that was not stopped comes back, and of futex its arguments")
    func systemCalls() throws {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        var locking = ThreadSnapshot(id: 7, completeness: .partial)
        locking.registers = .pointers(instruction: 0x5000, stack: 0x7000)
        locking.systemCall = 202
        locking.futexArguments = [0x7f00_0000_1000, 0x189, 2]
        var running = ThreadSnapshot(id: 8, completeness: .partial)
        running.registers = .pointers(instruction: 0x5000, stack: 0x8000)
        running.systemCall = -1
        snapshot.threads = [locking, running]
        let read = try MinidumpReader.read(ByteSlice(minidump(of: snapshot))).snapshot.threads
        #expect(read.map(\.systemCall) == [202, -1])
        #expect(read.map(\.futexArguments) == [[0x7f00_0000_1000, 0x189, 2], []])
    }

    @Test("The fault before a signal that was sent comes back with the exception's registers")
    func lastTrap() throws {
        var sent = Self.snapshot
        var exception = try #require(sent.exception)
        var registers = X86Registers()
        (registers.trapNumber, registers.errorCode, registers.cr2) = (14, 0x8006, 0xdead_beef)
        exception.registers = .x86_64(registers)
        (exception.signal, exception.code, exception.senderProcessID) = (11, -6, 4711)
        sent.exception = exception
        let read = try MinidumpReader.read(ByteSlice(minidump(of: sent))).snapshot
        guard case .x86_64(let found) = read.exception?.registers else {
            Issue.record("no registers")
            return
        }
        #expect(found.trapNumber == 14 && found.errorCode == 0x8006 && found.cr2 == 0xdead_beef)
        #expect(read.exception?.senderProcessID == 4711)
    }

    @Test("On aarch64 it is the address alone")
    func lastFaultAddress() throws {
        var sent = ProcessSnapshot(architecture: .aarch64)
        var registers = ARM64Registers()
        registers.faultAddress = 0x18
        sent.exception = ExceptionSnapshot(signal: 11, code: -6, address: 0)
        sent.exception?.registers = .aarch64(registers)
        let read = try MinidumpReader.read(ByteSlice(minidump(of: sent))).snapshot
        guard case .aarch64(let found) = read.exception?.registers else {
            Issue.record("no registers")
            return
        }
        #expect(found.faultAddress == 0x18)
    }

    @Test("A count, and records of 16 bytes")
    func layout() {
        let raw = RawMinidump(bytes: minidump(of: Self.snapshot))
        let list = raw.offset(Self.stream)
        #expect(raw.stream(Self.stream).count == 4 + 4 * 16)
        #expect(raw.u32(list) == 4)
        #expect([raw.u32(list + 4), raw.u32(list + 8)] == [1, 3])
        #expect(raw.u64(list + 12) == Self.snapshot.modules[0].addressRange.lowerBound)
        let cut = list + 4 + 2 * 16
        #expect(raw.u32(cut) == 2)
        #expect(UInt64(raw.u32(cut + 4)) == Self.snapshot.threads[0].id)
        #expect(raw.u64(cut + 8) == 0x7f00_0000_1230)
    }

    @Test("Without any there is no stream")
    func none() throws {
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: Samples.x86_64)))
        #expect(!contents.streams.contains { $0.type == .captureFacts })
    }

    @Test("Kinds and states that are not known are skipped", arguments: [4, 8])
    func unknown(_ offset: Int) throws {
        var bytes = minidump(of: Self.snapshot)
        bytes[RawMinidump(bytes: bytes).offset(Self.stream) + offset] = 99
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        let states = contents.snapshot.modules.compactMap(\.fileState)
        #expect(states == [.same])
        #expect(contents.readingDamage.isEmpty)
    }
}
