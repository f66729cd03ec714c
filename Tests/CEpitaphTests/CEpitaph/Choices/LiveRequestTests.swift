// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Testing

@Suite struct LiveRequestTests {
    @Test("The dump of a hang says so, and begins with the stuck thread and all of its registers")
    func hangOnLock() throws {
        let run = try Dummy("request-hang-lock", threads: 3)
        #expect(run.result.ending == .exited(0))
        let dump = try run.dump()
        #expect(dump.isComplete)
        let snapshot = dump.snapshot
        #expect(snapshot.kind == .hang && snapshot.exception == nil)
        let request = try #require(snapshot.request)
        #expect(request.subjectName == "main queue")
        #expect(request.durationNanoseconds == 2_400_000_000)
        #expect(request.includesAllThreads && !request.isProvisional)
        let subject = try #require(snapshot.subjectThread)
        #expect(snapshot.threads.first?.id == subject.id)
        #expect(subject.name == "stuck" && subject.completeness == .complete)
        #expect(subject.systemCall != nil && subject.runState == "S")
        #expect(snapshot.threads.count == 5)
        #expect(Set(snapshot.threads.map(\.id)).count == 5)
        // The thread that took the dump is another, and is there too.
        let asking = snapshot.threads.first { Int32($0.id) == snapshot.process.id }
        #expect(asking?.completeness == .complete)
        #expect(snapshot.capture?.threadsFound == 5)
    }

    @Test("A stuck thread whose call would notice is described from /proc, and says so")
    func hangInCall() throws {
        let snapshot = try Dummy("request-hang-call").snapshot()
        let subject = try #require(snapshot.subjectThread)
        #expect(subject.name == "asleep" && subject.completeness == .partial)
        #expect(
            subject.whyIncomplete == "stopping the thread would have interrupted its system call")
        #expect(subject.stack?.bytes.isEmpty == false && subject.systemCall != nil)
    }

    @Test("Where one thread is asked for the dump has it alone, and counts no others")
    func oneThread() throws {
        let snapshot = try Dummy("request-one-thread", threads: 4).snapshot()
        #expect(snapshot.threads.map(\.name) == ["busy"])
        #expect(snapshot.threads.first?.completeness == .complete)
        #expect(snapshot.request?.includesAllThreads == false)
        #expect(snapshot.request?.durationNanoseconds == nil)
        #expect(snapshot.capture?.threadsFound == nil)
    }

    @Test("A handled error has its words, and the thread that met it")
    func handledError() throws {
        let snapshot = try Dummy("request-error", threads: 2).snapshot()
        #expect(snapshot.kind == .handledError)
        #expect(
            snapshot.messages == [CrashMessage(source: "ledger", text: "the ledger is torn")])
        #expect(snapshot.threads.map(\.id) == [UInt64(snapshot.process.id ?? 0)])
        #expect(snapshot.subjectThread?.id == snapshot.threads.first?.id)
    }

    @Test("A request that asks for what there is not is refused with the reason")
    func refused() throws {
        let run = try Dummy("request-refused")
        #expect(run.result.ending == .exited(0))
        #expect(run.sealed.isEmpty)
        #expect(
            run.result.standardOutput == """
                request: initialise it with EPITAPH_LIVE_REQUEST_DEFAULT
                request: initialise it with EPITAPH_LIVE_REQUEST_DEFAULT
                kind: it is not a value of epitaph_report_kind
                threads: it is not a value of epitaph_live_threads
                subject_thread: this process has no such thread

                """)
    }
}
