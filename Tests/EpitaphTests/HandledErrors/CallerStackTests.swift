// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import Epitaph

@Suite struct CallerStackTests {
    private let mappings: [MemoryMapping]

    init() throws {
        // Foundation reads no more than one piece of a file of /proc.
        mappings = MemoryMapping.parse(try FileBytes.contents(of: "/proc/self/maps")).mappings
    }

    @inline(never)
    private func copied(besides secret: [UInt64]) throws -> CallerStack {
        try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: secret.count) { place in
            _ = place.initialize(fromContentsOf: secret)
            let stack = try #require(CallerStack())
            // It is on the stack while that is copied.
            #expect(place.elementsEqual(secret))
            return stack
        }
    }

    @Test("A copied stack has addresses and nothing else")
    func addressesOnly() throws {
        let secret = "hunter2!password"
        let words = Array(secret.utf8).withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
        let (thread, _) = try copied(besides: words).thread(in: mappings)
        let stack = try #require(thread.stack)
        let bytes = stack.bytes.array
        #expect(!String(decoding: bytes, as: UTF8.self).contains("hunter2"))
        let kept = bytes.withUnsafeBytes { $0.bindMemory(to: UInt64.self).filter { $0 != 0 } }
        #expect(!kept.isEmpty)
        #expect(
            kept.allSatisfy { word in
                mappings.contains { $0.addressRange.contains(word & (1 << 48 - 1)) }
            })
    }

    @Test("Text is not kept because six of its letters are the number of a mapped address")
    func textLikeAnAddress() throws {
        let words = Array("hunter2!password".utf8).withUnsafeBytes {
            Array($0.bindMemory(to: UInt64.self))
        }
        var all = MemoryMapping(addressRange: 4_096..<(1 << 48))
        all.isReadable = true
        let (thread, _) = try copied(besides: words).thread(in: [all])
        let text = String(decoding: thread.stack?.bytes.array ?? [], as: UTF8.self)
        #expect(!text.isEmpty)
        #expect(!text.contains("hunter2") && !text.contains("password"))
    }

    @Test("The registers are those of the call: inside code, and inside the stack that was copied")
    func registers() throws {
        let (thread, _) = try copied(besides: [0]).thread(in: mappings)
        let registers = try #require(thread.registers)
        #expect(
            mappings.contains {
                $0.isExecutable && $0.addressRange.contains(registers.instructionPointer)
            })
        #expect(thread.stack?.addressRange.contains(registers.stackPointer) == true)
        #expect(thread.completeness == .complete)
    }

    @Test("On the main thread as on others, nothing above the stack is copied")
    func limits() async throws {
        let environment = ProcessInfo.processInfo.environment
        let secret = environment.values.filter { $0.utf8.count > 15 }
        let onMain = try await MainActor.run { try copied(besides: [0]) }
        for stack in [onMain, try copied(besides: [0])] {
            let (thread, _) = stack.thread(in: [MemoryMapping(addressRange: 0..<(.max))])
            let text = String(decoding: thread.stack?.bytes.array ?? [], as: UTF8.self)
            #expect(secret.allSatisfy { !text.contains($0) })
        }
    }

    @Test("A stack deeper than what is copied is cut, and said to be")
    func deep() throws {
        func down(_ depth: Int) throws -> CallerStack {
            try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { place in
                place.initializeMemory(as: UInt8.self, repeating: 1)
                let stack = depth == 0 ? try #require(CallerStack()) : try down(depth - 1)
                #expect(place[0] == 1)
                return stack
            }
        }
        #expect(try down(20).isCut)
        #expect(try down(20).byteCount < 80_000)
    }
}
