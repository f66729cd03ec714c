// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Texts that are removed from a minidump")
struct ScrubbedTextTests {
    @Test("A denied annotation is gone with its name, its value and all copies of that")
    func denied() throws {
        let scrubbed = try Scrubbed(PrivateProcess.snapshot) {
            $0.annotations.denied = [KeyPattern("password"), KeyPattern("*_token")]
        }
        #expect(scrubbed.bytes.count == scrubbed.source.count)
        // In the annotation, a message, the stack and the heap.
        for secret in ["hunter22", "t0ken-of-alice", "login_token"] {
            #expect(scrubbed.sourceContains(secret))
            #expect(!scrubbed.contains(secret), "\(secret)")
        }
        let contents = try scrubbed.contents()
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.snapshot.annotations.map(\.name) == ["prod", "path"])
        #expect(
            contents.snapshot.messages.map(\.text) == ["Fatal error: wrong password ********!"])
        #expect(contents.snapshot.threads.count == 2)
        #expect(scrubbed.summary.removedAnnotations == ["password", "login_token"])
        #expect(scrubbed.summary.keptAnnotationCount == 4)
        #expect(scrubbed.summary.removedCopyCount == 3)
        #expect(
            scrubbed.summary.sentence
                == "2 annotations (password, login_token) and 3 copies of removed texts are removed"
        )
    }

    @Test("grep finds nothing of a denied annotation in the file")
    func grep() throws {
        let scrubbed = try Scrubbed(PrivateProcess.snapshot) {
            $0.annotations.denied = [KeyPattern("PASSWORD")]
            $0.removedParts = [.messages]
        }
        let directory = try TemporaryDirectory()
        let before = try directory.write(scrubbed.source, to: "before")
        let after = try directory.write(scrubbed.bytes, to: "after")
        for text in ["hunter22", "password"] {
            let count = { path in
                try Subprocess.run(["grep", "-a", "-c", text, path]).standardOutput
            }
            #expect(try count(before) != "0\n")
            #expect(try count(after) == "0\n")
        }
    }

    @Test("An allow-list removes all other annotations, but no messages and no facts of the report")
    func allowed() throws {
        var snapshot = PrivateProcess.snapshot
        snapshot.process.uptimeNanoseconds = 5
        snapshot.annotations.append(Annotation(name: "message_9", value: "not-a-message"))
        let scrubbed = try Scrubbed(snapshot) { $0.annotations.allowed = [KeyPattern("prod")] }
        let result = try scrubbed.contents().snapshot
        #expect(result.annotations.map(\.name) == ["prod"])
        #expect(result.messages.map(\.source) == ["swift"])
        #expect(result.process.uptimeNanoseconds == 5)
        #expect(!scrubbed.contains("not-a-message"))
        let none = try Scrubbed(snapshot) { $0.annotations.denied = [KeyPattern("*")] }
        let nothing = try none.contents().snapshot
        #expect(nothing.annotations.isEmpty)
        #expect(nothing.messages.isEmpty)
        #expect(nothing.process.uptimeNanoseconds == nil)
        #expect(none.summary.keptAnnotationCount == 0)
    }

    @Test("An allow-list has no gap for a program's annotation with a name of ours")
    func ownNames() throws {
        let names = ["message", "message_source", "crashpad_uptime_ns", "epitaph_bundle_id"]
        var snapshot = PrivateProcess.snapshot
        snapshot.process.uptimeNanoseconds = 5
        snapshot.annotations += names.map { Annotation(name: $0, value: "my-secret-\($0)") }
        let scrubbed = try Scrubbed(snapshot) { $0.annotations.allowed = [KeyPattern("prod")] }
        #expect(scrubbed.sourceContains("my-secret"))
        #expect(!scrubbed.contains("my-secret"))
        let result = try scrubbed.contents().snapshot
        #expect(result.annotations.map(\.name) == ["prod"])
        #expect(result.messages.map(\.source) == ["swift"])
        #expect(result.process.uptimeNanoseconds == 5)
        #expect(scrubbed.summary.removedAnnotations.suffix(4) == names[...])

        let allowed = try Scrubbed(snapshot) { $0.annotations.allowed = [KeyPattern("message")] }
        #expect(try allowed.contents().snapshot.annotations.map(\.name) == ["message"])
        let denied = try Scrubbed(snapshot) { $0.annotations.denied = [KeyPattern("message")] }
        #expect(!denied.contains("my-secret-message"))
        #expect(try denied.contents().snapshot.messages.isEmpty)

        var rules = ScrubbingRules()
        rules.annotations.allowed = [KeyPattern("prod")]
        let plan = try ScrubPlan(minidump: ByteSlice(scrubbed.source), rules: rules)
        let values = plan.scrubbed(annotations: snapshot.annotations, messages: [])
        #expect(values.annotations.map(\.name) == ["prod"])
        rules.form.allowed = [KeyPattern("message")]
        #expect(rules.scrubbed(form: ["message": "my-secret", "prod": "x"]).values.isEmpty)
        rules.form = KeyRules(denied: [KeyPattern("message")])
        #expect(
            rules.scrubbed(form: ["message": "my-secret", "prod": "x"]).values == ["prod": "x"])
    }

    @Test("Values read before are scrubbed as the bytes are")
    func values() throws {
        let source = plainMinidump(of: PrivateProcess.snapshot)
        let whole = try MinidumpReader.read(ByteSlice(source)).snapshot
        for (denied, parts) in [
            (["password"], []), (["path", "*token"], [ReportPart.messages]), (["message"], []),
        ] as [([String], Set<ReportPart>)] {
            var rules = ScrubbingRules()
            rules.annotations.denied = denied.map { KeyPattern($0) }
            rules.removedParts = parts
            rules.hidesHomeDirectories = true
            let plan = try ScrubPlan(minidump: ByteSlice(source), rules: rules)
            var builder = ByteBuilder()
            plan.write(to: &builder)
            let read = try MinidumpReader.read(ByteSlice(builder.bytes)).snapshot
            let values = plan.scrubbed(annotations: whole.annotations, messages: whole.messages)
            #expect(values.annotations == read.annotations)
            #expect(values.messages.map(\.text) == read.messages.map(\.text))
        }
    }

    @Test(
        "A part that is left out is gone, and the rest is there",
        arguments: [
            (ReportPart.messages, "wrong password"), (.commandLine, "s3cret-argument"),
            (.environment, "s3cret-variable"), (.maps, "[heap]"), (.status, "Pid:\t77"),
            (.threadNames, "alice's worker"), (.damage, "is not there"),
        ])
    func parts(part: ReportPart, text: String) throws {
        let scrubbed = try Scrubbed(PrivateProcess.snapshot) { $0.removedParts = [part] }
        #expect(scrubbed.sourceContains(text))
        #expect(!scrubbed.contains(text))
        let contents = try scrubbed.contents()
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.snapshot.annotations == PrivateProcess.snapshot.annotations)
        #expect(contents.snapshot.threads.count == 2)
        #expect(!contents.snapshot.mappings.isEmpty)
        let before = try MinidumpReader.read(ByteSlice(scrubbed.source)).streams.count
        let lost = part == .messages ? 0 : 1
        #expect(contents.streams.count == before - lost)
        #expect(scrubbed.summary.removedStreams.count == lost)
        #expect(scrubbed.summary.removedMessageCount == 1 - lost)
    }

    @Test("The values of arguments and variables that are left out are gone from memory, too")
    func copies() throws {
        var snapshot = PrivateProcess.snapshot
        let text = "s3cret-argument and s3cret-variable"
        snapshot.memory.append(
            MemoryRegion(address: PrivateProcess.heap + 4_096, bytes: ByteSlice(Array(text.utf8))))
        let scrubbed = try Scrubbed(snapshot) { $0.removedParts = [.commandLine, .environment] }
        #expect(!scrubbed.contains("s3cret"))
        #expect(scrubbed.contains("*************** and ***************"))
    }

    @Test("Home directories become ~ in every text, and unreadable in memory")
    func homes() throws {
        let scrubbed = try Scrubbed(PrivateProcess.snapshot) { $0.hidesHomeDirectories = true }
        #expect(scrubbed.sourceContains("/home/alice"))
        #expect(!scrubbed.contains("/home/alice"))
        let snapshot = try scrubbed.contents().snapshot
        #expect(snapshot.modules.map(\.path) == ["~/bin/greeter"])
        #expect(snapshot.modules.first?.buildID == Array(1...20))
        #expect(snapshot.annotations.last?.value == "see ~/log and ~/x")
        #expect(
            snapshot.files.maps?.text == PrivateProcess.maps.replacing("/home/alice", with: "~"))
        #expect(snapshot.commandLine?.text == "~/bin/greeter\0--key=s3cret-argument\0")
        #expect(snapshot.damage.contains { $0.reason == "~/gone is not there" })
        let heap = snapshot.memory.first { $0.address == PrivateProcess.heap }
        #expect(heap?.bytes.text == "***********/key hunter22-in-heap")
        #expect(scrubbed.summary.hiddenHomeDirectoryCount == 7)
    }
}
