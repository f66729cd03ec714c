// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert upload to Sentry with our own frames")
struct UploadSentryTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        try sample.file(Sample.minidump(Self.snapshot), id: Self.id)
    }

    /// A thread dies in a function that was inlined, which a task awaits; its outermost frame is a
    /// guess. Another thread waits.
    private static var snapshot: ProcessSnapshot {
        var snapshot = Sample.snapshot()
        snapshot.modules[0].buildID = Array(1...20)
        snapshot.modules.append(
            ModuleSnapshot(
                path: "/usr/lib/libwait.so", addressRange: 0x50_0000..<0x50_8000,
                kind: .sharedObject))
        snapshot.modules[1].buildID = [0xaa, 0xbb]
        var waiting = ThreadSnapshot(id: 4712, completeness: .complete)
        waiting.name = "waiter"
        snapshot.threads.append(waiting)
        snapshot.messages = [CrashMessage(source: "swift", text: "Index out of range")]
        snapshot.breadcrumbs = [
            Breadcrumb(
                number: 1, timeNanoseconds: 1_787_368_447_000_000_000, level: .info,
                category: "http", message: "request 1")
        ]
        snapshot.keptStacks = kept
        return snapshot
    }

    private static var kept: KeptStacks {
        var kept = KeptStacks()
        kept.frames = [
            frame(0x40_1234, "registers"), frame(0x40_2001, "unwindTable"),
            frame(0x40_4001, "asyncContext"), frame(0x40_3001, "unwindTable"),
            frame(0x40_5001, "stackGuess"), frame(0x50_1001, "unwindTable"),
        ]
        kept.frames[5].omission = .stackBytes(4096)
        kept.steps = (0..<6).map { KeptStacks.Step(frame: $0, distance: 16) }
        kept.stacks = [
            KeptStacks.Stack(
                threadID: 4711, isOfCrash: false, stackPointer: 16, firstStep: 1, stepCount: 1),
            KeptStacks.Stack(
                threadID: 4711, isOfCrash: true, stackPointer: 0, firstStep: 0, stepCount: 5),
            KeptStacks.Stack(
                threadID: 4712, isOfCrash: false, stackPointer: 0, firstStep: 5, stepCount: 1),
        ]
        kept.calls = ["inner()", "outer()", "main", "waitForMain()"].map { name in
            var call = KeptStacks.Call()
            call.function = name
            return call
        }
        kept.calls[0].linkageName = "$s5inneryyF"
        kept.calls[0].isInlined = true
        kept.calls[0].file = "/home/alice/src/inner.swift"
        (kept.calls[0].line, kept.calls[0].column) = (7, 3)
        kept.places = [
            .init(lookupAddress: 0x40_1234, firstCall: 0, callCount: 2),
            .init(lookupAddress: 0x40_2000, firstCall: 2, callCount: 1),
            .init(lookupAddress: 0x40_4000, firstCall: 3, callCount: 1),
        ]
        return kept
    }

    private static func frame(_ address: UInt64, _ foundBy: String) -> KeptStacks.Frame {
        KeptStacks.Frame(
            instructionPointer: address,
            lookupAddress: foundBy == "registers" ? address : address - 1, foundBy: foundBy)
    }

    /// An envelope as Sentry's relay reads it: a line of JSON, then items of a line and as many
    /// bytes as it says.
    private struct Envelope {
        var head: [String: Any]
        var items: [(head: [String: Any], bytes: Data)] = []

        init(_ body: Data) throws {
            var rest = body
            func line() throws -> [String: Any] {
                let text = rest.prefix { $0 != 0x0a }
                rest = rest.dropFirst(text.count + 1)
                return try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
            }
            head = try line()
            while !rest.isEmpty {
                let head = try line()
                let length = try #require(head["length"] as? Int)
                items.append((head, rest.prefix(length)))
                #expect(rest.dropFirst(length).first == 0x0a)
                rest = rest.dropFirst(length + 1)
            }
        }

        func event() throws -> [String: Any] {
            let item = try #require(items.first)
            #expect(item.head["type"] as? String == "event")
            return try #require(
                try JSONSerialization.jsonObject(with: item.bytes) as? [String: Any])
        }
    }

    private func envelope(
        _ query: String, _ arguments: String..., of other: SampleDatabase? = nil
    ) throws -> Envelope {
        let collector = try TestServer.collector("ok")
        let result = try dumpConvert(
            [
                "upload", "--database", (other ?? sample).path, "--once", "--no-compression",
                "--url",
                "sentry:http://key@127.0.0.1:\(collector.port)/base/42?\(query)",
            ] + arguments)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let head = try collector.head(0)
        #expect(head.contains("POST /base/api/42/envelope/?sentry_key=key HTTP/1.1"))
        #expect(head.contains("Content-Type: application/x-sentry-envelope"))
        return try Envelope(collector.body(0))
    }

    private func frames(_ trace: Any?) throws -> [[String: Any]] {
        try #require((trace as? [String: Any])?["frames"] as? [[String: Any]])
    }

    private func values(_ part: Any?) throws -> [[String: Any]] {
        try #require((part as? [String: Any])?["values"] as? [[String: Any]])
    }

    @Test("The event has names, lines, inlined calls and who awaits, and nothing that is a guess")
    func crash() throws {
        let event = try envelope("frames=own").event()
        #expect(event["timestamp"] as? String == "2026-08-22T03:14:07Z")
        let death = try #require(try values(event["exception"]).first)
        #expect(death["type"] as? String == "SIGSEGV")
        #expect(death["value"] as? String == "Index out of range")
        #expect(death["thread_id"] as? Int == 4711)
        let frames = try frames(death["stacktrace"])
        #expect(
            frames.map { $0["function"] as? String }
                == ["waitForMain()", nil, "main", "outer()", "inner()"])
        #expect(
            frames.map { $0["instruction_addr"] as? String }
                == ["0x404001", "0x403001", "0x402001", "0x401234", nil])
        #expect(
            frames.map { $0["trust"] as? String } == [nil, "cfi", "cfi", "context", "context"])
        #expect(frames.map { $0["stack_start"] as? Bool } == [nil, true, nil, nil, nil])
        #expect(frames.allSatisfy { $0["in_app"] as? Bool == true })
        let inner = try #require(frames.last)
        #expect(inner["raw_function"] as? String == "$s5inneryyF")
        #expect(inner["filename"] as? String == "inner.swift")
        #expect(inner["abs_path"] as? String == "/home/alice/src/inner.swift")
        #expect(inner["lineno"] as? Int == 7 && inner["colno"] as? Int == 3)
        let registers = (death["stacktrace"] as? [String: Any])?["registers"] as? [String: String]
        #expect(registers?["rip"] == "0x401234")
        let mechanism = death["mechanism"] as? [String: Any]
        #expect(mechanism?["handled"] as? Bool == false)
    }

    @Test("It has the other threads, a gap where frames are missing, and the images of its frames")
    func threads() throws {
        let event = try envelope("frames=own").event()
        let threads = try values(event["threads"])
        #expect(threads.map { $0["id"] as? Int } == [4711, 4712])
        #expect(threads.map { $0["crashed"] as? Bool } == [true, false])
        #expect(threads[0]["stacktrace"] == nil && threads[1]["name"] as? String == "waiter")
        let frames = try frames(threads[1]["stacktrace"])
        #expect(frames.map { $0["function"] as? String } == [nil, "(frames missing)"])
        #expect(frames.map { $0["in_app"] as? Bool } == [false, false])
        let images = try #require(
            (event["debug_meta"] as? [String: Any])?["images"] as? [[String: Any]])
        #expect(
            images.map { $0["code_file"] as? String }
                == ["/usr/bin/served", "/usr/lib/libwait.so"])
        #expect(images[0]["debug_id"] as? String == "04030201-0605-0807-090a-0b0c0d0e0f10")
        #expect(images[0]["code_id"] as? String == "0102030405060708090a0b0c0d0e0f1011121314")
        #expect(images[1]["debug_id"] as? String == "0000bbaa-0000-0000-0000-000000000000")
        #expect(images[1]["image_addr"] as? String == "0x500000")
        #expect(images[1]["image_size"] as? Int == 0x8000)
    }

    @Test("Tags, breadcrumbs, the minidump and attachments go with it")
    func files() throws {
        let log = try sample.directory.write(Array("started\n\n".utf8), to: "app.log")
        let envelope = try envelope("frames=own", "--attach", log)
        let id = Self.id.replacing("-", with: "")
        #expect(envelope.head["event_id"] as? String == id)
        let event = try envelope.event()
        #expect(event["event_id"] as? String == id)
        #expect((event["tags"] as? [String: String])?["ver"] == "1.2.3")
        #expect(try values(event["breadcrumbs"]).map { $0["message"] as? String } == ["request 1"])
        let files = envelope.items.dropFirst()
        #expect(files.map { $0.head["filename"] as? String } == ["\(Self.id).dmp", "app.log"])
        #expect(files.allSatisfy { $0.head["attachment_type"] == nil })
        #expect(files.first?.bytes.starts(with: Data("MDMP".utf8)) == true)
        #expect(files.last?.bytes == Data("started\n\n".utf8))
    }

    @Test("The minidump stays here where it may not leave")
    func withoutMinidump() throws {
        let envelope = try envelope("frames=own&minidump=no")
        #expect(envelope.items.count == 1)
        #expect(try values(envelope.event()["exception"]).count == 1)
    }

    @Test("Without kept stacks the server is asked to find them in the minidump")
    func nothingKept() throws {
        let other = try SampleDatabase()
        try other.file(Sample.minidump(), id: Self.id)
        let envelope = try envelope("frames=own", of: other)
        #expect(try envelope.event()["threads"] == nil)
        #expect(envelope.items[1].head["attachment_type"] as? String == "event.minidump")
    }

    @Test("What a program lived on after is an error, and a death is fatal")
    func level() throws {
        #expect(try envelope("frames=own").event()["level"] as? String == "fatal")
        var snapshot = Self.snapshot
        snapshot.exception = nil
        let other = try SampleDatabase()
        try other.file(Sample.minidump(snapshot), id: Self.id)
        let event = try envelope("frames=own", of: other).event()
        #expect(event["level"] as? String == "error")
        #expect(event["exception"] == nil)
        // Another system's exception is no signal, and a death all the same.
        var foreign = Self.snapshot
        foreign.system.operatingSystem = .macOS
        let third = try SampleDatabase()
        try third.file(Sample.minidump(foreign), id: Self.id)
        let death = try envelope("frames=own", of: third).event()
        #expect(death["level"] as? String == "fatal")
        #expect(death["exception"] == nil && death["threads"] != nil)
    }

    @Test("What is scrubbed is not in the frames either")
    func scrubbed() throws {
        let rules = try sample.directory.write(
            Array(#"{"remove": ["kept-stacks"]}"#.utf8), to: "rules.json")
        let envelope = try envelope("frames=own", "--scrub-rules", rules)
        #expect(!String(decoding: envelope.items[0].bytes, as: UTF8.self).contains("inner"))
    }

    @Test("Last words that a form must not have are not the exception's either")
    func deniedWords() throws {
        let rules = try sample.directory.write(
            Array(#"{"form": {"deny": ["message"]}}"#.utf8), to: "rules.json")
        let event = try envelope("frames=own", "--scrub-rules", rules).event()
        #expect(try values(event["exception"]).first?["value"] == nil)
        #expect(try frames(values(event["exception"]).first?["stacktrace"]).count == 5)
    }
}
