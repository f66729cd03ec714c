// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphMinidump
import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Reports of processes that did not crash, and that say what they are of.
@Suite struct RequestReportTests {
    /// The sampled daemon, asked about its second thread.
    static func snapshot(_ kind: ReportKind) -> ProcessSnapshot {
        var snapshot = Sample.crash()
        snapshot.exception = nil
        var request = ReportRequest(kind: kind)
        request.subjectThreadID = 4712
        request.subjectName = "main queue"
        request.durationNanoseconds = 2_449_000_000
        snapshot.request = request
        return snapshot
    }

    private static func written(_ snapshot: ProcessSnapshot) -> ByteSlice {
        var bytes = ByteBuilder()
        MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil).write(to: &bytes)
        return ByteSlice(bytes.bytes)
    }

    static let headlines: [(ReportKind, String)] = [
        (.hang, "sampled: hang of thread 4712 \"worker\" (main queue) for at least 2.4 s"),
        (
            .recoveredHang,
            "sampled: hang of thread 4712 \"worker\" (main queue) for 2.4 s, which is over"
        ),
        (.live, "sampled: dump of the running process"),
        (.memoryWarning, "sampled: memory became scarce"),
        (.outOfMemory, "sampled: killed by the kernel because memory ran out"),
        (.handledError, "sampled: handled error: the ledger is torn"),
        (.unknown(99), "sampled: a report of a kind that is not known here (99)"),
    ]

    @Test(
        "The headline says what the report is of, and no form calls it a crash",
        arguments: headlines)
    func headline(_ kind: ReportKind, _ headline: String) {
        var snapshot = Self.snapshot(kind)
        snapshot.annotations = []
        snapshot.messages = [CrashMessage(source: "app", text: "the ledger is torn\nat line 3")]
        let explanation = CrashExplanation(snapshot, stacks: [])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(text.hasPrefix(headline + "\n"))
        let page = HTMLReport(explanation).text
        let body = String(page[page.firstRange(of: "</style>")!.upperBound...])
        for form in [text, body, LogSummary(explanation).lines.joined()] {
            #expect(!form.localizedCaseInsensitiveContains("crash"))
        }
        #expect(explanation.mainThread?.thread.id == 4712)
        #expect(explanation.otherThreads.map(\.thread.id) == [4711, 4713])
    }

    @Test("The stuck thread's stack comes first, with what it was doing")
    func stuckThread() {
        let stack = ReportStack(frames: [Sample.frame(0, 0x40_1234, "pay(ledger)")])
        let explanation = CrashExplanation(Self.snapshot(.hang), stacks: [nil, stack])
        let text = TextReport(explanation, threads: .crashing).lines.joined(separator: "\n")
        #expect(text.contains("Stuck thread 4712 \"worker\":\n  #0"))
        #expect(text.contains("2 other threads, not shown"))
        #expect(text.contains("Thread 4712 \"worker\" was running, called from pay(ledger)."))
        #expect(explanation.signature?.text == "hang pay(ledger)")
        #expect(
            CrashExplanation(Self.snapshot(.recoveredHang), stacks: [nil, stack]).signature
                == explanation.signature)
    }

    @Test("A thread that ended before it could be captured is said to be missing")
    func goneThread() {
        var snapshot = Self.snapshot(.hang)
        snapshot.threads.remove(at: 1)
        let explanation = CrashExplanation(snapshot, stacks: [])
        let text = TextReport(explanation).lines.joined(separator: "\n")
        #expect(text.contains("Thread 4712, which it is about, had ended"))
        #expect(explanation.signature == nil)
    }

    @Test(
        "Handled errors are told apart by their type and never by what they say",
        arguments: [
            ("Ledger.Failure: row 7", "Ledger.Failure"), ("Ledger.Failure", "Ledger.Failure"),
            ("E: a: b", "E"), ("E\nF: g", "E"),
        ])
    func errorType(_ said: String, _ type: String) {
        var snapshot = Self.snapshot(.handledError)
        snapshot.threads = []
        snapshot.messages = [CrashMessage(source: "error", text: said)]
        #expect(snapshot.errorType == type)
        let signature = CrashExplanation(snapshot, stacks: []).signature
        #expect(signature?.text == "handled-error \(type)")
        snapshot.messages = [CrashMessage(source: "swift", text: said)]
        #expect(snapshot.errorType == nil)
    }

    @Test("Where one thread was asked for the report does not count as complete, and says why")
    func oneThread() {
        var snapshot = Self.snapshot(.handledError)
        snapshot.threads = [snapshot.threads[1]]
        snapshot.request?.includesAllThreads = false
        snapshot.files.status = ByteSlice(Array("Name:\tsampled\nThreads:\t57\n".utf8))
        let completeness = CrashExplanation(snapshot, stacks: []).completeness
        #expect(!completeness.isComplete)
        #expect(
            completeness.doubts == [
                "threads: 1 of 57 are in the dump, as the program asked for no other"
            ])
    }

    @Test("A minidump brings it back as it was", arguments: headlines.map(\.0))
    func minidump(_ kind: ReportKind) throws {
        var snapshot = Self.snapshot(kind)
        snapshot.request?.includesAllThreads = false
        snapshot.request?.isProvisional = true
        let bytes = Self.written(snapshot)
        let read = try MinidumpReader.read(bytes)
        #expect(read.snapshot.request == snapshot.request)
        #expect(read.snapshot.kind == kind)
        #expect(read.snapshot.annotations == snapshot.annotations)
        snapshot.request = ReportRequest(kind: kind)
        let plain = Self.written(snapshot)
        #expect(try MinidumpReader.read(plain).snapshot.request == ReportRequest(kind: kind))
    }

    @Test("JSON has its kind and what was asked for")
    func json() throws {
        let text = JSONReport(CrashExplanation(Self.snapshot(.hang), stacks: [])).text
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(report["kind"] as? String == "hang")
        let request = try #require(report["request"] as? [String: Any])
        #expect(request["threadId"] as? Int == 4712 && request["name"] as? String == "main queue")
        #expect(request["durationSeconds"] as? Double == 2.449)
        #expect(report["reason"] == nil && report["diagnosis"] == nil)
        let threads = try #require(report["threads"] as? [[String: Any]])
        #expect(threads.first?["isSubject"] as? Bool == true)
        #expect(threads.allSatisfy { $0["isCrashing"] as? Bool == false })
        #expect(try JSONSchema.complaints(about: [text]) == [])
    }
}
