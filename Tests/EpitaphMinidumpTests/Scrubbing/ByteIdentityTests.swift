// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("The bytes of a scrubbed minidump")
struct ByteIdentityTests {
    @Test("are the source's where the rules keep all of it, whatever it is")
    func kept() throws {
        for source in [try fixture("greeter-x86_64"), [], Array("no minidump".utf8)] {
            let scrubbed = try Scrubbed(source) { $0.form.denied = [KeyPattern("*")] }
            #expect(scrubbed.bytes == source)
            #expect(scrubbed.summary.removals.isEmpty)
            #expect(scrubbed.summary.sentence == "nothing is removed")
        }
    }

    @Test(
        "are the source's where rules are in force and find nothing to remove",
        arguments: Architecture.captured)
    func nothingFound(architecture: Architecture) throws {
        let scrubbed = try Scrubbed(try fixture("greeter-\(architecture.name)")) {
            $0.annotations.denied = [KeyPattern("password")]
            $0.hidesHomeDirectories = true
            $0.removedParts = [.environment]
        }
        let difference = zip(scrubbed.bytes, scrubbed.source).enumerated().first { $1.0 != $1.1 }
        #expect(difference == nil)
        #expect(scrubbed.bytes.count == scrubbed.source.count)
        #expect(scrubbed.summary.removals.isEmpty)
    }

    @Test("are the same read at any place and in pieces of any size")
    func pieces() throws {
        var rules = ScrubbingRules()
        rules.annotations.denied = [KeyPattern("password")]
        rules.sanitizesStacks = true
        rules.hidesHomeDirectories = true
        rules.memory = .stacks
        let source = plainMinidump(of: PrivateProcess.snapshot)
        let plan = try ScrubPlan(minidump: ByteSlice(source), rules: rules)
        var builder = ByteBuilder()
        plan.write(to: &builder)
        let whole = builder.bytes
        #expect(plan.byteCount == whole.count)
        for size in [1, 3, 7, 64, 1000] {
            var read: [UInt8] = []
            var buffer = [UInt8](repeating: 0xee, count: size)
            while true {
                let count = buffer.withUnsafeMutableBytes { plan.read(into: $0, at: read.count) }
                guard count > 0 else { break }
                read += buffer[..<count]
            }
            #expect(read == whole, "in pieces of \(size)")
        }
        var buffer: [UInt8] = [1, 2]
        #expect(buffer.withUnsafeMutableBytes { plan.read(into: $0, at: -1) } == 0)
        #expect(buffer.withUnsafeMutableBytes { plan.read(into: $0, at: .max) } == 0)
        #expect(buffer == [1, 2])
    }

    @Test("do not all stay in memory: pages are let go as they were read")
    func pages() throws {
        var snapshot = PrivateProcess.snapshot
        snapshot.memory.append(
            MemoryRegion(
                address: 0x6000_0000_0000,
                bytes: ByteSlice([UInt8](repeating: 0x41, count: 5 << 20))))
        let owner = CountingOwner(plainMinidump(of: snapshot))
        var rules = ScrubbingRules()
        rules.sanitizesStacks = true
        rules.annotations.denied = [KeyPattern("password")]
        let plan = try ScrubPlan(minidump: ByteSlice(owner: owner), rules: rules)
        // Looked through once for copies, once to count words.
        #expect(owner.forgottenByteCount >= 2 * 5 << 20)
        #expect(plan.summary.replacedWordCount >= 5 << 17)
        let before = owner.forgottenByteCount
        var sink = CountingSink()
        plan.write(to: &sink)
        #expect(sink.byteCount == plan.byteCount)
        #expect(sink.largestPiece <= 1 << 20)
        #expect(owner.forgottenByteCount - before == plan.byteCount)
    }

    private struct CountingSink: ByteSink {
        var byteCount = 0
        var largestPiece = 0

        mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Never) {
            byteCount += bytes.count
            largestPiece = max(largestPiece, bytes.count)
        }
    }

    // Sendable: used by one thread.
    private final class CountingOwner: ByteOwner, @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
        private(set) var forgottenByteCount = 0

        init(_ array: [UInt8]) {
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: array.count, alignment: 16)
            memory.copyBytes(from: array)
            bytes = UnsafeRawBufferPointer(memory)
        }

        deinit { bytes.deallocate() }

        func forget(_ range: Range<Int>) { forgottenByteCount += range.count }
    }
}
