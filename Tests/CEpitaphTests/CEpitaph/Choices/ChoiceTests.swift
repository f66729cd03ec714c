// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What programs may change their minds about while they run.
@Suite struct ChoiceTests {
    @Test("A crash while disabled is passed on untouched and writes no file")
    func disabled() throws {
        let run = try Dummy("disabled", threads: 1)
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.sealed.isEmpty)
        // The armed file stays, with nothing but the launch record.
        #expect(run.files.count == 1 && run.files[0].hasSuffix(".locked"))
        let previous = try Dummy("disabled", threads: 0, ["handler"])
        #expect(previous.result.standardOutput == "previous handler\n")
        #expect(previous.result.ending == .signalled(SIGSEGV))
        #expect(previous.sealed.isEmpty)
    }

    @Test("A crash after Epitaph was enabled again is captured")
    func enabledAgain() throws {
        let run = try Dummy("enabled-again")
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(try run.snapshot().exception?.address == 16)
    }

    @Test("A signal that was given up does what it did before")
    func givenUp() throws {
        let run = try Dummy("given-up")
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.sealed.isEmpty)
        let previous = try Dummy("given-up", threads: 0, ["handler"])
        #expect(previous.result.standardOutput == "previous handler\n")
        #expect(previous.sealed.isEmpty)
    }

    @Test(
        "A signal that is taken while the program runs is captured",
        arguments: [("taken-again", SIGSEGV), ("taken", SIGUSR2)])
    func taken(_ way: String, _ signal: Int32) throws {
        let run = try Dummy(way)
        #expect(run.result.ending == .signalled(signal))
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.signal == signal)
        #expect(snapshot.damage.isEmpty)
    }

    @Test("Limits set while the program runs hold for the next crash")
    func limits() throws {
        let snapshot = try Dummy("small-limits", threads: 0, ["registered"]).snapshot()
        #expect(snapshot.crashingThread?.stack?.bytes.count == 160)
        #expect(snapshot.memory.contains(text: "registe"))
        #expect(!snapshot.memory.contains(text: "registered: bytes"))
    }

    @Test("A fault that a previous handler repairs is no crash, and errno lives through it")
    func repaired() throws {
        let run = try Dummy("repaired", threads: 2)
        #expect(run.result.ending == .exited(0))
        #expect(run.result.standardOutput == "errno 77, 1 repair\n")
        #expect(try run.crashes.isEmpty)
        #expect(run.files.filter { $0.hasSuffix(".locked") }.count == 1)
    }

    @Test("A handler displaced by a library is noted in the next dump, with the library")
    func displaced() throws {
        let run = try Dummy("displaced")
        #expect(run.result.ending == .signalled(SIGSEGV))
        let damage = try run.snapshot().damage
        #expect(damage.count == 1)
        let sentence = try #require(damage.first?.sentence)
        #expect(sentence.hasPrefix("handler of signal 7: another one has taken its place, at 0x"))
        #expect(sentence.hasSuffix(" in \(Victim.c.path)"))
    }

    @Test("A later handler that passes the signal on changes nothing but is noted")
    func displacedAndCalled() throws {
        let run = try Dummy("displaced-chained")
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.result.standardOutput == "later handler\n")
        let snapshot = try run.snapshot()
        #expect(snapshot.exception?.address == 16)
        #expect(snapshot.damage.first?.subject == "handler of signal 11")
    }

    @Test("A signal taken back goes to us, to the later handler, and to the previous one")
    func retaken() throws {
        let run = try Dummy("retaken")
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.result.standardOutput == "later handler\n")
        #expect(try run.snapshot().damage.isEmpty)
        let previous = try Dummy("retaken", threads: 0, ["handler"])
        #expect(previous.result.standardOutput == "later handler\nprevious handler\n")
        #expect(previous.result.ending == .signalled(SIGSEGV))
        #expect(try previous.crashes.count == 1)
    }

    @Test("After the stop a later handler that still calls us reaches the previous one")
    func retakenAndStopped() throws {
        let run = try Dummy("retaken-stopped", threads: 0, ["handler"])
        #expect(run.result.ending == .signalled(SIGSEGV))
        #expect(run.result.standardOutput == "later handler\nprevious handler\n")
        #expect(run.sealed.isEmpty)
    }

    @Test("A signal taken back goes to the handler that came in between, also right after another")
    func retakenAndRaised() throws {
        let run = try Dummy("retaken-raising")
        #expect(run.result.ending == .exited(0))
        #expect(run.result.standardOutput == String(repeating: "later handler\n", count: 4))
    }

    @Test("Annotations that threads keep changing during the capture have an old or a new value")
    func hammered() throws {
        for _ in 0..<30 {
            let run = try Dummy("hammered")
            #expect(run.result.ending == .signalled(SIGSEGV))
            let annotations = try run.snapshot().annotations
            #expect(annotations.filter { !$0.name.hasPrefix("hammer-") }.count == 3)
            for annotation in annotations where annotation.name.hasPrefix("hammer-") {
                #expect(Set(annotation.value.utf8).count == 1, "\(annotation.name) is torn")
                #expect([1, 19_999].contains(annotation.value.count))
            }
        }
    }
}
