// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphMinidump
import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A program's own handler of a fault, which then ends the process.
@Suite struct FirstFaultTests {
    @Test(
        "A fault that the program's handler raises again, or ends with abort(), is the crash",
        arguments: [
            ("raised_again", "raise_again"), ("raised_again_later", nil),
            ("aborted_in_handler", "end_by_abort"), ("queued_again", "queue_again"),
        ])
    func raisedAgain(way: String, handler: String?) throws {
        let program = try DiagnosisProgram.standard.get().path
        let plain = try ExplainedCrash(program, "null_read")
        let crash = try ExplainedCrash(program, way)
        let diagnosis = try #require(crash.diagnosis)
        #expect(diagnosis.kind == .nullDereference)
        #expect(diagnosis.headline == plain.diagnosis?.headline)
        let code = plain.diagnosis?.code?.instructions.map(\.text)
        #expect(diagnosis.code?.instructions.map(\.text) == code)
        #expect(crash.signature?.text == "null-dereference null_read | main")
        #expect(crash.signature == plain.signature)
        #expect(crash.explanation.firstFault?.codeName == "SEGV_MAPERR")
        #expect(crash.explanation.firstFault?.address == 0x18)
        let last = try #require(diagnosis.findings.last?.statement)
        #expect(last.hasPrefix("The program's own handler"))
        guard let handler else { return }
        #expect(last.contains("handler, \(handler) (diagnosed.c:"))
        let frame = crash.explanation.crashingThread?.stack?.frames.first(where: \.isSignalFrame)
        #expect(frame?.handledSignal?.words == "SIGSEGV (SEGV_MAPERR at 0x18)")
        let text = TextReport(crash.explanation).lines.joined(separator: "\n")
        #expect(text.contains("calls a signal handler for SIGSEGV (SEGV_MAPERR"))
        #expect(text.contains("\n  Signal      SIGSEGV (SEGV_MAPERR): address not mapped"))
    }

    @Test(
        "A handler that crashes is one crash, wherever a signal from outside interrupted the program",
        arguments: [
            ("interrupted_here", "tick"), ("interrupted_there", "tick"),
            ("raised_tick", "tick | raised_tick | main"),
        ])
    func interrupted(way: String, functions: String) throws {
        let crash = try ExplainedCrash(try DiagnosisProgram.standard.get().path, way)
        #expect(crash.signature?.text == "null-dereference \(functions)")
    }

    @Test(
        "Every form of the report tells of the first fault, with its registers, and of the last signal"
    )
    func shown() throws {
        let program = try DiagnosisProgram.standard.get().path
        let explanation = try ExplainedCrash(program, "raised_again").explanation
        let lines = TextReport(explanation).lines
        let thread = try #require(explanation.crashingThread?.thread.idWords)
        #expect(lines.contains("Registers of thread \(thread) at the first fault:"))
        #expect(lines.contains("Registers of thread \(thread) at the last signal:"))
        #expect(lines.contains { $0.hasPrefix("  Then        SIGSEGV (SI_TKILL)") })
        let page = HTMLReport(explanation).text
        #expect(page.contains("Of the crashing thread, at the first fault."))
        #expect(page.contains("At the last signal"))
        #expect(page.contains("SEGV_MAPERR: address not mapped to object"))
        #expect(page.contains("<dt>Then</dt>"))
        let text = JSONReport(explanation).text
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let first = try #require(json["firstFault"] as? [String: Any])
        #expect(first["address"] as? String == "0x18")
        #expect((first["code"] as? [String: Any])?["name"] as? String == "SEGV_MAPERR")
        let registers = try #require(first["registers"] as? [String: String])
        let threads = try #require(json["threads"] as? [[String: Any]])
        let last = try #require(threads.first?["registers"] as? [String: String])
        #expect(registers["rip"] != last["rip"])
        let instructions = explanation.diagnosis?.code?.instructions ?? []
        let fault = try #require(instructions.first { $0.isAtFault })
        #expect(registers["rip"] == "0x" + String(fault.address, radix: 16))
        #expect(try JSONSchema.complaints(about: [text]) == [])
    }

    @Test("An ordinary crash has one set of registers and no first fault")
    func ordinary() throws {
        let program = try DiagnosisProgram.standard.get().path
        let explanation = try ExplainedCrash(program, "null_read").explanation
        let thread = try #require(explanation.crashingThread?.thread.idWords)
        let titles = TextReport(explanation).lines.filter { $0.hasPrefix("Registers of") }
        #expect(titles == ["Registers of thread \(thread):"])
        #expect(!JSONReport(explanation).text.contains("\"firstFault\""))
        #expect(HTMLReport(explanation).text.contains("Of the crashing thread, at the fault."))
    }

    @Test(
        "The filed report of it is about the same fault",
        arguments: ["raised_again", "raised_again_later", "aborted_in_handler", "queued_again"])
    func filed(way: String) throws {
        let program = try DiagnosisProgram.standard.get().path
        let crash = try ExplainedCrash(program, way)
        let writer = MinidumpWriter(
            snapshot: crash.explanation.snapshot, reportID: nil, clientID: nil)
        var bytes = ByteBuilder()
        writer.write(to: &bytes)
        let read = try MinidumpReader.read(ByteSlice(bytes.bytes)).snapshot
        let filed = CrashExplanation(installed: read)
        #expect(filed.diagnosis?.headline == crash.diagnosis?.headline)
        #expect(filed.signature == crash.signature)
        #expect(filed.firstFault?.headline == crash.explanation.firstFault?.headline)
    }

    @Test("A division by zero that a handler raises again is one")
    func division() throws {
        let program = try DiagnosisProgram.standard.get().path
        let crash = try ExplainedCrash(program, "raised_division")
        #expect(crash.diagnosis?.kind == .divideByZero)
        #expect(crash.signature?.text == "divide-by-zero divide | main")
    }

    @Test("A handler that fails itself is told beside the fault it was called for")
    func failingHandler() throws {
        let program = try DiagnosisProgram.standard.get().path
        let crash = try ExplainedCrash(program, "failing_handler")
        #expect(crash.diagnosis?.headline.hasPrefix("wrote to offset 0x30") == true)
        #expect(crash.explanation.firstFault == nil)
        let words = crash.diagnosis?.findings.map { "\($0.statement) \($0.evidence)" } ?? []
        let told = try #require(words.first { $0.contains("in a signal handler") })
        #expect(told.contains("handler, fail_too (diagnosed.c:"))
        #expect(told.contains("an earlier fault in null_read (diagnosed.c:"))
        #expect(told.contains("SIGSEGV (SEGV_MAPERR at 0x18)"))
    }

    @Test("A signal that is no fault is only named: its handler's crash is the crash")
    func userSignal() throws {
        let program = try DiagnosisProgram.standard.get().path
        let crash = try ExplainedCrash(program, "failing_user_handler")
        #expect(crash.diagnosis?.headline.hasPrefix("wrote to offset 0x30") == true)
        #expect(crash.explanation.firstFault == nil)
        #expect(crash.diagnosis?.findings.contains { $0.statement.contains("handler") } == false)
        let frame = crash.explanation.crashingThread?.stack?.frames.first(where: \.isSignalFrame)
        #expect(frame?.handledSignal?.words == "SIGUSR1 (SI_TKILL)")
    }

    @Test("raise() without a fault stays a signal the program sent to itself")
    func plainRaise() throws {
        let program = try DiagnosisProgram.standard.get().path
        let crash = try ExplainedCrash(program, "raise_trap")
        #expect(crash.diagnosis?.headline == "sent SIGTRAP to itself")
        #expect(crash.explanation.firstFault == nil)
    }

    // struct rt_sigframe of arch/arm64/kernel/signal.c: siginfo_t, then struct ucontext, whose
    // struct sigcontext is 304 bytes in.
    static func onAarch64() -> CrashExplanation {
        var sample = DiagnosisSample(.aarch64, signal: 11, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        var structure = [UInt8](repeating: 0, count: 4_688)
        structure.put(11 as UInt32, at: 0)
        structure.put(1 as UInt32, at: 8)
        structure.put(0x18 as UInt64, at: 16)
        structure.put(0x18 as UInt64, at: 304)
        structure.put(0x7ffc_0000_3000 as UInt64, at: 304 + 8 * 32)
        structure.put(DiagnosisSample.code &+ 0x100, at: 304 + 8 * 33)
        sample.add(structure, at: 0x7ffc_0000_1100)
        // str w1, [x0, #0x18]
        sample.add([0x01, 0x18, 0x00, 0xb9], at: DiagnosisSample.code &+ 0x100)
        var handler = Sample.frame(0, DiagnosisSample.code, "on_fault")
        handler.stackPointer = 0x7ffc_0000_1000
        var signal = Sample.frame(1, 0x40_2000, "__kernel_rt_sigreturn")
        signal.isSignalFrame = true
        signal.stackPointer = 0x7ffc_0000_1100
        let failed = Sample.frame(2, DiagnosisSample.code &+ 0x100, "parse")
        return CrashExplanation(
            sample.snapshot, stacks: [],
            crashStack: ReportStack(frames: [handler, signal, failed]))
    }

    @Test("On aarch64 the handler's information is read where its kernel puts it")
    func aarch64() {
        let explanation = Self.onAarch64()
        #expect(explanation.diagnosis?.headline == "wrote to offset 0x18 of a null pointer (x0)")
        #expect(explanation.signature?.text == "null-dereference parse")
    }

    @Test("What lies where no information was written names no signal")
    func noInformation() {
        for garbage in [0x0b, 0xff, 0] as [UInt8] {
            var sample = DiagnosisSample(signal: 6, code: -6)
            sample.snapshot.exception?.senderProcessID = 4711
            var structure = [UInt8](repeating: garbage, count: 512)
            structure.put(DiagnosisSample.code, at: 40 + 8 * 16)
            // No trap that the instruction there explains.
            structure.put(14 as UInt64, at: 40 + 8 * 20)
            sample.add(structure, at: 0x7ffc_0000_1000)
            var signal = Sample.frame(0, 0x40_2000, "__restore_rt")
            signal.isSignalFrame = true
            signal.stackPointer = 0x7ffc_0000_1000
            let explanation = CrashExplanation(
                sample.snapshot, stacks: [],
                crashStack: ReportStack(
                    frames: [signal, Sample.frame(1, DiagnosisSample.code, "work")]))
            let frames = explanation.crashingThread?.stack?.frames
            #expect(frames?.first?.handledSignal == nil)
            #expect(explanation.diagnosis?.kind == .abort)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ value: some FixedWidthInteger, at offset: Int) {
        let bytes = Swift.withUnsafeBytes(of: value.littleEndian) { Array($0) }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}
