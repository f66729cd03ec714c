// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Streams and directories that others write")
struct ForeignStreamsTests {
    private func status(processID: Int, userID: Int) -> [UInt8] {
        Array("Name:\tx\nPid:\t\(processID)\nUid:\t\(userID)\t0\t0\t0\n".utf8)
    }

    @Test("Breakpad's exception without a code is not taken for a signal somebody sent")
    func unknownCode() throws {
        var file = HandMadeMinidump()
        file.addException(11, address: 0x45)
        let exception = try #require(try MinidumpReader.read(file.bytes).snapshot.exception)
        #expect(exception.signal == 11)
        #expect(!exception.isCodeKnown)
        #expect(exception.address == 0x45)
        #expect(exception.senderProcessID == nil)

        file.streams = []
        file.addException(11, flags: 1, address: 0x45)
        #expect(try MinidumpReader.read(file.bytes).snapshot.exception?.isCodeKnown == true)
    }

    @Test("The address of a signal that was sent is its sender, if it is the process itself")
    func senderInAddress() throws {
        for (processID, expected) in [(14782, 14782), (14783, nil)] as [(Int, Int32?)] {
            var file = HandMadeMinidump()
            file.addException(6, address: 1000 << 32 | 14782)
            file.add(0x4767_0004, status(processID: processID, userID: 1000))
            let exception = try #require(try MinidumpReader.read(file.bytes).snapshot.exception)
            #expect(exception.senderProcessID == expected)
            #expect(exception.address == 0)
        }
    }

    @Test("A dump the program asked for has no crash in it")
    func requested() throws {
        var file = HandMadeMinidump()
        file.addException(.max)
        file.addThread()
        #expect(try MinidumpReader.read(file.bytes).snapshot.exception == nil)
    }

    @Test("Comments and a failed assertion become messages")
    func messages() throws {
        func field(_ text: String) -> [UInt8] {
            let units = Array(text.utf16)
            return words(units + Array(repeating: 0, count: 128 - units.count))
        }
        var file = HandMadeMinidump()
        file.add(10, Array("the first\0and rubbish".utf8))
        file.add(11, words(Array("the second".utf16)) + [0x41])
        file.add(
            0x4767_0002,
            field("a < b") + field("sort()") + field("s.c") + words([42, 0] as [UInt32]))
        let messages = try MinidumpReader.read(file.bytes).snapshot.messages
        #expect(
            messages == [
                CrashMessage(source: "assertion", text: "a < b, in sort(), at s.c:42"),
                CrashMessage(source: "comment", text: "the first"),
                CrashMessage(source: "comment", text: "the second"),
            ])
    }

    @Test("Of a stream that is there twice the first is shown, and that is said")
    func twice() throws {
        var file = HandMadeMinidump()
        file.addThread(1)
        file.addThread(2)
        let contents = try MinidumpReader.read(file.bytes)
        #expect(contents.snapshot.threads.map(\.id) == [1])
        #expect(contents.streams.count == 3)
        #expect(
            contents.readingDamage.contains {
                $0.sentence == "ThreadList: it is there more than once; the first one is shown"
            })
    }

    @Test("Empty, unknown and ignored streams do no harm")
    func others() throws {
        var file = HandMadeMinidump()
        for type: UInt32 in [
            3, 4, 5, 6, 8, 9, 12, 14, 15, 16, 24, 0x1234, 0x4350_0001, 0x4767_0009,
        ] {
            file.add(type, [])
        }
        let contents = try MinidumpReader.read(file.bytes)
        #expect(contents.snapshot.threads.isEmpty)
        #expect(
            contents.readingDamage.map(\.sentence)
                == ["ThreadList: it is empty", "ModuleList: it is empty"])
        let names = contents.streams.map(\.type.description)
        #expect(names.contains("HandleData") && names.contains("UnloadedModuleList"))
        #expect(names.contains("ThreadExList") && names.contains("0x1234"))
    }

    @Test("A stream past the end of the file is told with its place")
    func beyond() throws {
        var file = HandMadeMinidump()
        file.addThread()
        var bytes = file.bytes.array
        let entry = 32 + 12
        bytes.replaceSubrange(entry + 8..<entry + 12, with: [0, 0, 0, 0x7f])
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        #expect(
            contents.readingDamage.contains {
                $0.sentence == "ThreadList at offset 0x7f000000: 0 of 52 bytes are in the file"
            })
    }

    @Test("Streams that overlap, and lie on odd offsets, are read as they are")
    func overlapping() throws {
        var file = HandMadeMinidump()
        file.add(0x1111, [0xff])
        file.addThread(stack: 0x7000)
        file.add(5, words([UInt32(0)]))
        var bytes = file.bytes.array
        // The memory list now lies in the thread list: its count of 1, then a descriptor made of
        // the thread's own fields.
        let raw = RawMinidump(bytes: bytes)
        let place = UInt32(raw.offset(3))
        #expect(place % 2 == 1)
        bytes.replaceSubrange(
            32 + 3 * 12 + 4..<32 + 4 * 12, with: words([UInt32(20), place]))
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        #expect(contents.snapshot.threads.map(\.id) == [77])
    }

    @Test("A string of an odd number of bytes loses the last one")
    func oddString() throws {
        var file = HandMadeMinidump()
        file.addModule("/bin/abc")
        var bytes = file.bytes.array
        let name = RawMinidump(bytes: bytes).offset(4) + 112
        bytes[name] -= 1
        #expect(
            try MinidumpReader.read(ByteSlice(bytes)).snapshot.modules.first?.path == "/bin/ab")
    }

    @Test("Crashpad's annotations of modules: lists, dictionaries and objects of any type")
    func moduleAnnotations() throws {
        var file = HandMadeMinidump()
        file.addModule("/bin/abc")
        file.streams.append((0x4350_0001, Self.crashpadInfo))
        let contents = try MinidumpReader.read(file.bytes)
        #expect(contents.readingDamage.map(\.subject) == ["ThreadList"])
        #expect(
            contents.snapshot.annotations == [
                Annotation(name: "key", value: "value"), Annotation(name: "key", value: "value"),
                Annotation(name: "key", value: "type 0x8001: 76 61 6c 75 65"),
            ])
        #expect(contents.snapshot.messages == [CrashMessage(source: "abc", text: "value")])
    }

    /// minidump_extensions.h: MinidumpCrashpadInfo in its first form of 52 bytes, a link to one
    /// MinidumpModuleCrashpadInfo, and what that points at.
    private static func crashpadInfo(at offset: Int) -> [UInt8] {
        let (links, module, list, pairs, objects) = (52, 68, 96, 104, 116)
        let (key, value) = (144, 152)
        func at(_ place: Int) -> UInt32 { UInt32(offset + place) }
        var record = words([UInt32(1)]) + [UInt8](repeating: 0, count: 32)
        record += words([0, 0, 16, at(links)] as [UInt32])
        record += words([1, 0, 28, at(module)] as [UInt32])
        record += words(
            [1, 8, at(list), 12, at(pairs), 28, at(objects)] as [UInt32])
        record += words([1, at(value)] as [UInt32])
        record += words([1, at(key), at(value)] as [UInt32])
        record += words([2, at(key), 1, at(value), at(key), 0x8001, at(value)] as [UInt32])
        record += words([UInt32(3)]) + Array("key\0".utf8)
        return record + words([UInt32(5)]) + Array("value\0".utf8)
    }
}
