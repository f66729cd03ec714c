// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

final class SubjectActivity {
    private let thread: ExplainedThread
    private let snapshot: ProcessSnapshot
    private let memory: ReadableMemory

    init(_ thread: ExplainedThread, of snapshot: ProcessSnapshot, _ memory: ReadableMemory) {
        self.thread = thread
        self.snapshot = snapshot
        self.memory = memory
    }

    private var name: String { "Thread \(thread.identity)" }

    var findings: [Diagnosis.Finding] { [activity, limits].compactMap(\.self) }

    private var activity: Diagnosis.Finding? {
        let wait = ThreadWait(thread, of: snapshot.architecture, memory)
        if wait?.lock?.owner != nil { return nil }
        if let wait, wait.lock != nil {
            return .init(
                "\(name) waits for a lock, a condition or a queue. Who would have to wake it is "
                    + "not known.",
                evidence: "It is in futex\(inFunction).")
        }
        if let call = systemCall {
            return .init("\(name) is in the system call \(call)\(inFunction).", evidence: "")
        }
        guard thread.thread.completeness == .complete, thread.registers != nil else { return nil }
        return .init(
            "\(name) was running\(inFunction).",
            evidence: "Its registers: it was in no system call.")
    }

    /// `read`, or the number of an unknown call.
    private var systemCall: String? {
        let interrupted = thread.registers.flatMap {
            InterruptedCall($0, of: snapshot.architecture, memory)
        }
        let number = interrupted?.number ?? thread.thread.systemCall
        guard let number, number >= 0 else { return nil }
        return SystemCalls.name(of: number, on: snapshot.architecture) ?? "\(number)"
    }

    private var inFunction: String {
        let frames = thread.stack?.frames ?? []
        let caller = NoiseFrames.firstOfProgram(frames, snapshot.modules)
        return caller?.shortPlace.map { ", called from \($0)" } ?? ""
    }

    /// Missing facts about a thread that was not stopped.
    private var limits: Diagnosis.Finding? {
        guard thread.thread.completeness != .complete else { return nil }
        let what =
            thread.registers == nil
            ? "Nothing is known of where it was"
            : "Only its instruction and stack pointer and its stack are known"
        return .init(
            "\(what).",
            evidence: thread.thread.whyIncomplete.map { "Thread \(thread.thread.idWords): \($0)." }
                ?? "")
    }
}
