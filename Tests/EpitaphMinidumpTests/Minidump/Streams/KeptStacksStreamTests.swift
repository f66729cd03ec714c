// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("What a minidump keeps of the stacks as they were when it was filed")
struct KeptStacksStreamTests {
    static let stream = 0x4570_0002

    static let kept: KeptStacks = {
        var kept = KeptStacks()
        kept.frames = [
            .init(
                instructionPointer: 0x40_1234, lookupAddress: 0x40_1234, foundBy: "registers"),
            .init(
                instructionPointer: .max, lookupAddress: .max - 1, foundBy: "unwindTable",
                isSignalFrame: true, omission: .stackBytes(0x12_3456_789a)),
            .init(
                instructionPointer: 8, lookupAddress: 7, foundBy: "größe", omission: .tailCall),
        ]
        kept.steps = [
            .init(frame: 0, distance: 0), .init(frame: 1, distance: 64),
            .init(frame: 2, distance: .min),
        ]
        var crash = KeptStacks.Stack(
            threadID: 4711, isOfCrash: true, stackPointer: 0x7ffc_0000_1000, firstStep: 0,
            stepCount: 3)
        crash.whyIncomplete = "the memory at 0x10 was not captured"
        crash.whyAsyncCallersIncomplete = "there are more than 32"
        kept.stacks = [
            crash,
            .init(
                threadID: .max, isOfCrash: false, stackPointer: 0, firstStep: 1, stepCount: 1),
        ]
        var inlined = KeptStacks.Call()
        inlined.function = "inner()"
        inlined.linkageName = "$s5inneryyF"
        inlined.file = "/home/alice/src/inner.swift"
        inlined.line = 7
        inlined.column = 40_000
        inlined.isInlined = true
        inlined.runtimeFailure = "Index out of range"
        var outer = KeptStacks.Call()
        outer.function = "inner()"
        outer.functionOffset = 0
        outer.functionLine = 4_000_000_000
        kept.calls = [inlined, outer]
        kept.places = [.init(lookupAddress: 0x40_1234, firstCall: 0, callCount: 2)]
        kept.problems = ["there was no time", "there are no lines"]
        return kept
    }()

    static let snapshot: ProcessSnapshot = {
        var snapshot = Samples.x86_64
        snapshot.keptStacks = kept
        snapshot.modules[1].keptCallFrames = KeptCallFrames(
            loadBias: 0x1000, entries: ByteSlice([1, 2, 3]))
        snapshot.modules[2].keptCallFrames = KeptCallFrames(
            loadBias: .max, entries: ByteSlice([4]))
        return snapshot
    }()

    static let bytes = minidump(of: snapshot)

    @Test("It comes back as it was, each module with its own call frame information")
    func roundTrip() throws {
        let contents = try MinidumpReader.read(ByteSlice(Self.bytes))
        #expect(contents.snapshot.keptStacks == Self.kept)
        for module in Self.snapshot.modules {
            let read = contents.snapshot.modules.first {
                $0.addressRange.lowerBound == module.addressRange.lowerBound
            }
            #expect(read?.keptCallFrames == module.keptCallFrames)
        }
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.streams.contains { $0.type.description == "EpitaphKeptStacks" })
        let again = minidump(of: contents.snapshot)
        #expect(try MinidumpReader.read(ByteSlice(again)).snapshot.keptStacks == Self.kept)
    }

    @Test("A header with counts, and tables one behind the other, with each text once")
    func layout() {
        let raw = RawMinidump(bytes: Self.bytes)
        let start = raw.offset(Self.stream)
        #expect((0..<8).map { raw.u32(start + 4 * $0) } == [1, 2, 3, 3, 1, 2, 2, 4])
        let (stacks, steps) = (start + 36, start + 36 + 2 * 40)
        let frames = steps + 3 * 12
        let places = frames + 3 * 32
        let calls = places + 16
        let modules = calls + 2 * 40
        #expect(raw.stream(Self.stream).count == modules + 2 * 24 + 4 - start)
        #expect(raw.u64(stacks) == 4711)
        #expect(raw.u64(stacks + 8) == 0x7ffc_0000_1000)
        #expect(raw.u32(stacks + 32) == 1)
        #expect(raw.utf8(raw.u32(stacks + 24)) == "the memory at 0x10 was not captured")
        #expect(raw.u32(stacks + 40 + 24) == 0)
        #expect(raw.u32(steps + 12) == 1)
        #expect(raw.u64(steps + 16) == 64)
        #expect(raw.u64(frames + 32 + 16) == 0x12_3456_789a)
        #expect(raw.slice(frames + 32 + 28, 4) == [1, 1, 0, 0])
        #expect(raw.slice(frames + 64 + 28, 4) == [0, 2, 0, 0])
        #expect(raw.u64(places) == 0x40_1234)
        #expect(raw.utf8(raw.u32(calls + 8)) == "inner()")
        #expect(raw.u32(calls + 8) == raw.u32(calls + 40 + 8))
        #expect([raw.u32(calls + 36), raw.u32(calls + 40 + 36)] == [0, 4_000_000_000])
        #expect(raw.utf8(raw.u32(calls + 16)) == "/home/alice/src/inner.swift")
        #expect(raw.slice(modules + 48, 4) == [1, 2, 3, 4])
        #expect(raw.utf8(raw.u32(start + 32)) == "there was no time\nthere are no lines")
    }

    @Test("A snapshot that has none is written without the stream")
    func none() throws {
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: Samples.x86_64)))
        #expect(!contents.streams.contains { $0.type == .keptStacks })
        #expect(contents.snapshot.keptStacks == nil)
    }

    /// The minidump with another word at some place of the stream.
    private func read(_ place: Int, _ word: UInt32) throws -> MinidumpContents {
        var bytes = Self.bytes
        let start = RawMinidump(bytes: bytes).offset(Self.stream) + place
        for index in 0..<4 { bytes[start + index] = UInt8(word >> (8 * index) & 0xff) }
        return try MinidumpReader.read(ByteSlice(bytes))
    }

    @Test("Another form of it is left alone, and said to be there")
    func otherVersion() throws {
        let contents = try read(0, 2)
        #expect(contents.snapshot.keptStacks == nil)
        #expect(
            contents.readingDamage.map(\.sentence) == [
                "kept stacks: they are written in a form that is not known (2)"
            ])
    }

    @Test("A count that the stream has no room for is as many as there are", arguments: 1...7)
    func counts(place: Int) throws {
        let contents = try read(4 * place, .max)
        #expect(contents.snapshot.keptStacks != nil)
        #expect(contents.readingDamage.contains { $0.reason.contains("4294967295") })
    }

    @Test("Indexes that lead out of the tables end a stack or a place")
    func indexes() throws {
        // The second step's frame, then the first stack's first step, then its number of steps.
        let step = try #require(try read(36 + 80 + 12, 3).snapshot.keptStacks)
        #expect(step.frames(of: step.stacks[0]).count == 1)
        let first = try #require(try read(36 + 16, 3).snapshot.keptStacks)
        #expect(first.frames(of: first.stacks[0]).isEmpty)
        let count = try #require(try read(36 + 20, .max).snapshot.keptStacks)
        #expect(count.frames(of: count.stacks[0]).count == 3)
        let places = 36 + 80 + 36 + 96
        let call = try #require(try read(places + 8, 2).snapshot.keptStacks)
        #expect(call.calls(of: call.places[0]).isEmpty)
        let calls = try #require(try read(places + 12, .max).snapshot.keptStacks)
        #expect(calls.calls(of: calls.places[0]).count == 2)
    }

    @Test("Any bytes at all are read without a trap, and no stack is longer than the limit")
    func randomBytes() throws {
        var random = SplitMix(state: 10)
        let start = RawMinidump(bytes: Self.bytes).offset(Self.stream)
        let count = RawMinidump(bytes: Self.bytes).stream(Self.stream).count
        for round in 0..<2_000 {
            var bytes = Self.bytes
            for _ in 0...round % 40 {
                // The version stays: behind another one nothing is read.
                let place = start + 4 + Int.random(in: 0..<count - 4, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            guard let kept = try MinidumpReader.read(ByteSlice(bytes)).snapshot.keptStacks else {
                continue
            }
            for stack in kept.stacks {
                #expect(kept.frames(of: stack).count <= KeptStacks.frameLimit)
            }
            for place in kept.places { #expect(kept.calls(of: place).count <= 256) }
        }
    }
}
