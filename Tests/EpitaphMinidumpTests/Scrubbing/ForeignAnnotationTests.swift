// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Testing

@Suite("Annotations that others wrote")
struct ForeignAnnotationTests {
    private var made: [UInt8] {
        var file = ScrubbingSample()
        file.addCrashpadInfo(
            messages: ["abort() called by alice"],
            simple: [("channel", "stable"), ("pass_phrase", "open sesame")],
            objects: [
                ("user_mail", 1, "alice@example.org"), ("ptype", 1, "browser"),
                ("blob", 0x8001, "raw bytes of alice"),
            ])
        return file.bytes
    }

    @Test("of modules are removed from both kinds of lists")
    func modules() throws {
        let scrubbed = try Scrubbed(made) {
            $0.annotations.denied = ["pass*", "user_*", "blob"].map { KeyPattern($0) }
        }
        for text in ["pass_phrase", "open sesame", "user_mail", "alice@example.org", "raw bytes"] {
            #expect(scrubbed.sourceContains(text))
            #expect(!scrubbed.contains(text), "\(text)")
        }
        let contents = try scrubbed.contents()
        #expect(contents.readingDamage.map(\.subject) == ["ThreadList", "ModuleList"])
        #expect(
            contents.snapshot.annotations == [
                Annotation(name: "channel", value: "stable"),
                Annotation(name: "ptype", value: "browser"),
            ])
        #expect(contents.snapshot.messages.map(\.text) == ["abort() called by alice"])
        #expect(scrubbed.summary.removedAnnotations == ["pass_phrase", "user_mail", "blob"])
    }

    @Test("and the messages of modules go with the messages")
    func messages() throws {
        let scrubbed = try Scrubbed(made) { $0.removedParts = [.messages] }
        #expect(!scrubbed.contains("abort()"))
        let snapshot = try scrubbed.contents().snapshot
        #expect(snapshot.messages.isEmpty)
        #expect(snapshot.annotations.count == 5)
        #expect(scrubbed.summary.removedMessageCount == 1)
    }

    @Test("Two annotations that share one text lose it together")
    func shared() throws {
        var file = ScrubbingSample()
        let value = file.utf8("one for both")
        let list = file.place(words: [2, file.utf8("secret"), value, file.utf8("open"), value])
        file.add(
            0x4350_0001,
            words: [1] + [UInt32](repeating: 0, count: 8) + [20, list, 0, 0, 0, 0, 0])
        let scrubbed = try Scrubbed(file.bytes) { $0.annotations.denied = [KeyPattern("secret")] }
        #expect(!scrubbed.contains("one for both"))
        #expect(
            try scrubbed.contents().snapshot.annotations == [Annotation(name: "open", value: "")])
    }

    @Test("Streams and bytes nobody understands go with the rest, unless they are to stay")
    func unknown() throws {
        var file = ScrubbingSample()
        file.addCrashpadInfo(messages: [], simple: [("secret", "of this")], objects: [])
        file.add(0x1234_5678, Array("a stream of letters".utf8))
        _ = file.place(Array("letters between".utf8))
        let strict = try Scrubbed(file.bytes) { $0.annotations.denied = [KeyPattern("secret")] }
        #expect(!strict.contains("stream of letters"))
        #expect(!strict.contains("letters between"))
        #expect(strict.summary.removedStreams == ["0x12345678"])
        #expect(try strict.contents().streams.count == 2)
        let lenient = try Scrubbed(file.bytes) {
            $0.annotations.denied = [KeyPattern("secret")]
            $0.keepsUnknown = true
        }
        #expect(lenient.contains("stream of letters"))
        #expect(lenient.contains("letters between"))
        #expect(!lenient.contains("of this"))
        #expect(try lenient.contents().streams.count == 3)
    }

    @Test("Of two streams of a type the second goes, whatever else is to stay")
    func second() throws {
        var file = ScrubbingSample()
        file.addCrashpadInfo(messages: [], simple: [("prod", "greeter")], objects: [])
        file.add(0x4767_0006, Array("first --key\0".utf8))
        file.add(0x4767_0006, Array("second --key\0".utf8))
        let scrubbed = try Scrubbed(file.bytes) {
            $0.annotations.denied = [KeyPattern("secret")]
            $0.keepsUnknown = true
        }
        #expect(scrubbed.contains("first --key"))
        #expect(!scrubbed.contains("second --key"))
        #expect(scrubbed.summary.removedStreams == ["LinuxCmdLine"])
    }

    @Test("Assertions and comments go with the messages, and their copies with them")
    func comments() throws {
        var file = ScrubbingSample()
        let wide = { (text: String, units: Int) in
            let bytes = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
            return bytes + [UInt8](repeating: 0, count: units * 2 - bytes.count)
        }
        file.addCrashpadInfo(
            messages: [], simple: [("log", "x is fine, a comment, wide words")], objects: [])
        file.add(10, Array("a comment\0".utf8))
        file.add(11, wide("wide words", 12))
        file.add(
            0x4767_0002,
            wide("x is fine", 128) + wide("", 128) + wide("", 128) + [UInt8](repeating: 0, count: 8)
        )
        let scrubbed = try Scrubbed(file.bytes) { $0.removedParts = [.messages] }
        let snapshot = try scrubbed.contents().snapshot
        #expect(snapshot.messages.isEmpty)
        #expect(snapshot.annotations.map(\.value) == ["*********, *********, **********"])
        #expect(scrubbed.summary.removedStreams == ["CommentA", "CommentW", "AssertionInfo"])
    }

    @Test("Breadcrumbs are removed with their texts, or looked through")
    func breadcrumbs() throws {
        var file = ScrubbingSample()
        file.addCrashpadInfo(messages: [], simple: [("user", "alice.w")], objects: [])
        let texts = (file.utf8("http"), file.utf8("GET /of/alice.w"))
        file.add(
            0x4570_0001, words: [1, 1, 0, 0, 0, 0, 0, 2, texts.0, texts.1])
        let removed = try Scrubbed(file.bytes) { $0.removedParts = [.breadcrumbs] }
        #expect(!removed.contains("GET /of/"))
        #expect(!removed.contains("http"))
        #expect(removed.contains("alice.w"))
        let searched = try Scrubbed(file.bytes) { $0.annotations.denied = [KeyPattern("user")] }
        #expect(searched.contains("GET /of/*******"))
        #expect(!searched.contains("alice.w"))
    }

    @Test(
        "Crashpad's from macOS loses one annotation and keeps the rest",
        .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)))
    func crashpad() throws {
        let source = try ForeignMinidumps.bytes("simple-crashpad")
        let before = try MinidumpReader.read(ByteSlice(source)).snapshot
        let name = try #require(before.annotations.first?.name)
        let scrubbed = try Scrubbed(source) { $0.annotations.denied = [KeyPattern(name)] }
        let after = try scrubbed.contents().snapshot
        #expect(after.annotations == before.annotations.filter { $0.name != name })
        #expect(after.messages == before.messages)
        #expect(after.modules == before.modules)
        #expect(!scrubbed.contains(name))
    }
}
