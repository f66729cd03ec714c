// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphExplanation
@testable import EpitaphPages

/// What is not known is left out of a report for programs.
@Suite struct FaultFactsTests {
    private func reason(_ exception: ExceptionSnapshot?, processID: Int32? = 4711) throws
        -> [String: Any]
    {
        var snapshot = Sample.crash()
        snapshot.exception = exception
        snapshot.process.id = processID
        let text = JSONReport(CrashExplanation(snapshot, stacks: [])).text
        let report = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(report?["reason"] as? [String: Any])
    }

    private func exception(
        _ signal: Int32, code: Int32, trap: UInt64, address: UInt64 = 0x10
    ) -> ExceptionSnapshot {
        var exception = ExceptionSnapshot(signal: signal, code: code, address: address)
        exception.threadID = 4712
        var registers = Sample.registers(rip: 0x40_1234)
        registers.trapNumber = trap
        registers.errorCode = 6
        registers.cr2 = 0x10
        exception.registers = .x86_64(registers)
        return exception
    }

    @Test("A page fault has its trap, error code and address")
    func pageFault() throws {
        let fault = try #require(
            try reason(exception(11, code: 1, trap: 14))["fault"] as? [String: Any])
        #expect(fault["trapNumber"] as? Int == 14)
        #expect(fault["errorCode"] as? String == "0x6")
        #expect(fault["address"] as? String == "0x10")
    }

    @Test(
        "A signal that was sent, and a dump without these numbers, have no fault",
        arguments: [(11, -6, 14), (6, -6, 0), (11, 0, 14), (11, 1, 0), (5, 2, 0), (31, 1, 14)])
    func noFault(signal: Int32, code: Int32, trap: UInt64) throws {
        #expect(try reason(exception(signal, code: code, trap: trap))["fault"] == nil)
    }

    @Test("The last page fault's address is not that of another trap")
    func otherTraps() throws {
        let protection = try #require(
            try reason(exception(11, code: 0x80, trap: 13, address: 0))["fault"]
                as? [String: Any])
        #expect(protection["address"] == nil)
        #expect(protection["errorCode"] as? String == "0x6")
        let division = try #require(
            try reason(exception(8, code: 1, trap: 0))["fault"] as? [String: Any])
        #expect(division["trapNumber"] as? Int == 0)
        #expect(division["errorCode"] == nil && division["address"] == nil)
    }

    @Test("An aarch64 dump of another writer has no fault address")
    func foreignARM() throws {
        var fault = ExceptionSnapshot(signal: 11, code: 1, address: 0x10)
        var registers = ARM64Registers()
        registers.pc = 0x40_1234
        fault.registers = .aarch64(registers)
        #expect(try reason(fault)["fault"] == nil)
        registers.faultAddress = 0x10
        fault.registers = .aarch64(registers)
        #expect(
            (try reason(fault)["fault"] as? [String: Any])?["address"] as? String == "0x10")
    }

    @Test("A code and a signal's number that the dump does not tell are left out")
    func unknownNumbers() throws {
        var breakpad = exception(11, code: 0, trap: 0)
        breakpad.isCodeKnown = false
        #expect(try reason(breakpad)["code"] == nil)
        var windows = ExceptionSnapshot(signal: 0, code: 0, address: 0)
        windows.foreign = ForeignException(
            system: .windows, code: 0xc000_0005, flags: 0, address: 0x10, parameters: [0, 0x10])
        let signal = try #require(try reason(windows)["signal"] as? [String: Any])
        #expect(signal["number"] == nil)
        #expect(signal["name"] as? String != nil)
    }

    @Test("Whether the process sent the signal itself is not told where its id is unknown")
    func unknownSender() throws {
        var sent = exception(6, code: -6, trap: 0)
        sent.senderProcessID = 99
        let known = try #require(try reason(sent)["sender"] as? [String: Any])
        #expect(known["isTheProcessItself"] as? Bool == false)
        let unknown = try #require(
            try reason(sent, processID: nil)["sender"] as? [String: Any])
        #expect(unknown["isTheProcessItself"] == nil)
    }

    @Test("A thread whose id is unknown has none")
    func unknownThread() throws {
        var snapshot = Sample.crash()
        snapshot.threads = [Sample.thread(0, nil, at: 0x40_1234)]
        snapshot.exception?.threadID = nil
        let text = JSONReport(CrashExplanation(snapshot, stacks: [])).text
        let report = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let threads = try #require(report?["threads"] as? [[String: Any]])
        #expect(threads.count == 1 && threads[0]["id"] == nil)
    }
}
