// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphValues
import Testing

@Suite("Stacks as they were when the report was filed, scrubbed")
struct KeptStacksScrubbingTests {
    private static let snapshot: ProcessSnapshot = {
        var kept = KeptStacks()
        kept.frames = [
            .init(instructionPointer: 0x1000, lookupAddress: 0x1000, foundBy: "registers")
        ]
        kept.steps = [.init(frame: 0, distance: 0)]
        kept.stacks = [
            .init(
                threadID: 7, isOfCrash: true, stackPointer: 0x7000, firstStep: 0, stepCount: 1)
        ]
        kept.stacks[0].whyIncomplete = "there is no /root/lib"
        var call = KeptStacks.Call()
        call.function = "secretive()"
        call.linkageName = "$s9secretiveyyF"
        call.file = "/home/alice/src/main.swift"
        call.line = 3
        call.functionLine = 2
        kept.calls = [call]
        kept.places = [.init(lookupAddress: 0x1000, firstCall: 0, callCount: 1)]
        kept.problems = ["/home/alice/lib cannot be read"]
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.keptStacks = kept
        snapshot.modules = [
            ModuleSnapshot(
                path: "/usr/bin/d", addressRange: 0x1000..<0x2000, kind: .executable)
        ]
        snapshot.modules[0].keptCallFrames = KeptCallFrames(
            loadBias: 0, entries: ByteSlice([1, 2, 3, 4]))
        return snapshot
    }()

    @Test("Home directories in paths and problems are hidden, the rest stays as it was")
    func homes() throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.hidesHomeDirectories = true }
        #expect(scrubbed.sourceContains("alice"))
        #expect(!scrubbed.contains("alice"))
        let contents = try scrubbed.contents()
        #expect(contents.readingDamage.isEmpty)
        var expected = Self.snapshot.keptStacks
        expected?.calls[0].file = "~/src/main.swift"
        expected?.stacks[0].whyIncomplete = "there is no ~/lib"
        expected?.problems = ["~/lib cannot be read"]
        #expect(contents.snapshot.keptStacks == expected)
        #expect(
            contents.snapshot.modules.first?.keptCallFrames
                == Self.snapshot.modules[0].keptCallFrames)
    }

    @Test("Removed, they leave no name behind")
    func removed() throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.removedParts = [.keptStacks] }
        for text in ["secretive", "main.swift", "registers", "no /root", "cannot be read"] {
            #expect(scrubbed.sourceContains(text))
            #expect(!scrubbed.contains(text))
        }
        let snapshot = try scrubbed.contents().snapshot
        #expect(snapshot.keptStacks == nil)
        #expect(snapshot.modules.first?.keptCallFrames == nil)
        #expect(scrubbed.summary.removedStreams == ["EpitaphKeptStacks"])
    }

    @Test("A rule about something else leaves them whole")
    func kept() throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.removedParts = [.environment] }
        #expect(try scrubbed.contents().snapshot.keptStacks == Self.snapshot.keptStacks)
    }

    @Test("Counts of more than there is lead nowhere", arguments: 1...7)
    func hostileCounts(place: Int) throws {
        var bytes = plainMinidump(of: Self.snapshot)
        let stream = try #require(Self.offset(of: 0x4570_0002, in: bytes))
        for index in 0..<4 { bytes[stream + 4 * place + index] = 0xff }
        let scrubbed = try Scrubbed(bytes) { $0.hidesHomeDirectories = true }
        #expect(try scrubbed.contents().snapshot.keptStacks != nil)
    }

    private static func offset(of type: UInt32, in bytes: [UInt8]) -> Int? {
        var cursor = ByteCursor(ByteSlice(bytes), offset: 32)
        while let found = try? cursor.read(UInt32.self), (try? cursor.skip(4)) != nil,
            let offset = try? cursor.read(UInt32.self)
        {
            if found == type { return Int(offset) }
        }
        return nil
    }
}
