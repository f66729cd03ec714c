// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The chain of contexts of a Swift task is in the dump to its end, or the dump says where it was
/// cut.
@Suite struct AsyncContextTests {
    private struct Chain {
        var contexts: [UInt64] = []
        /// The first context that is not in the dump; 0 for a chain that is whole.
        var end: UInt64 = 0
    }

    /// The longest chain that a word on the crashing stack leads to.
    private static func longest(in snapshot: ProcessSnapshot) throws -> Chain {
        let executable = try #require(snapshot.modules.first).addressRange
        var heads: [UInt64: (parent: UInt64, resume: UInt64)] = [:]
        for region in snapshot.memory {
            for offset in stride(from: 0, to: region.bytes.count - 15, by: 16) {
                var cursor = ByteCursor(region.bytes, offset: offset)
                heads[region.address + UInt64(offset)] = (try cursor.read(), try cursor.read())
            }
        }
        var longest = Chain()
        let stack = try #require(snapshot.crashingThread?.stack)
        for offset in stride(from: 0, to: stack.bytes.count - 7, by: 8) {
            var cursor = ByteCursor(stack.bytes, offset: offset)
            var chain = Chain(end: try cursor.read())
            while let head = heads[chain.end], executable.contains(head.resume),
                chain.contexts.count < 6000
            {
                chain.contexts.append(chain.end)
                chain.end = head.parent
            }
            if chain.contexts.count > longest.contexts.count { longest = chain }
        }
        return longest
    }

    @Test("The chain of a task with 300 callers is whole")
    func deep() throws {
        let snapshot = try Dummy("task-300-deep", victim: .swift).snapshot()
        let chain = try Self.longest(in: snapshot)
        #expect(chain.contexts.count >= 300)
        #expect(snapshot.threads.allSatisfy { $0.asyncChainCuts.isEmpty })
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("A chain that is longer than the limit says where it was cut")
    func tooDeep() throws {
        let snapshot = try Dummy("task-5000-deep", victim: .swift).snapshot()
        let chain = try Self.longest(in: snapshot)
        #expect((900...1024).contains(chain.contexts.count))
        let cuts = try #require(snapshot.crashingThread).asyncChainCuts
        #expect(cuts.contains(chain.end))
    }

    @Test("A chain that goes in circles ends, and is no cut one")
    func circle() throws {
        let run = try Dummy("task-in-circles", victim: .swift)
        #expect(run.result.ending == .signalled(SIGTRAP) || run.result.ending == .signalled(SIGILL))
        let snapshot = try run.snapshot()
        #expect(snapshot.threads.allSatisfy { $0.asyncChainCuts.isEmpty })
    }
}
