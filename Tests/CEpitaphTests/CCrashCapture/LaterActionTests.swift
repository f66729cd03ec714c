// SPDX-License-Identifier: Apache-2.0

import CEpitaphHandler
import Foundation
import Synchronization
import Testing

/// The later action of a signal, in memory of the test.
private final class Later: @unchecked Sendable {
    let pointer = UnsafeMutablePointer<epitaph_later_action>.allocate(capacity: 1)

    init() { pointer.initialize(to: epitaph_later_action()) }

    deinit { pointer.deallocate() }

    @discardableResult
    func set(_ words: [UInt64]) -> Bool { epitaph_later_action_set(pointer, words) }

    /// Nil if there is none.
    var words: [UInt64]? {
        var isThere = false
        let words = [UInt64](unsafeUninitializedCapacity: 4) { words, count in
            words.initialize(repeating: 0)
            isThere = epitaph_later_action_read(pointer, words.baseAddress)
            count = 4
        }
        return isThere ? words : nil
    }
}

@Suite struct LaterActionTests {
    @Test("The last action that was set counts; a reset takes its handler alone")
    func inTurn() {
        let later = Later()
        #expect(later.words == nil)
        #expect(!epitaph_later_action_reset(later.pointer))
        for number in 1...10 as ClosedRange<UInt64> {
            #expect(later.set([number, number + 1, number + 2, number + 3]))
            #expect(later.words == [number, number + 1, number + 2, number + 3])
        }
        #expect(epitaph_later_action_reset(later.pointer))
        #expect(later.words == [0, 11, 12, 13])
        later.set([7, 7, 7, 7])
        #expect(later.words == [7, 7, 7, 7])
        epitaph_later_action_forget(later.pointer)
        #expect(later.words == nil)
    }

    @Test("A change that never ends, as of the process that this was forked from, stops no other")
    func abandonedChanges() {
        let later = Later()
        later.set([1, 1, 1, 1])
        // All places but the one that counts are taken.
        later.pointer.pointee.state |= 0xf0 & ~(0x10 << (later.pointer.pointee.state & 3))
        for number in 2...9 as ClosedRange<UInt64> {
            #expect(later.set([number, number, number, number]))
            #expect(later.words == [number, number, number, number])
        }
    }

    @Test("While three threads set it and one resets it, whoever reads it finds one action, whole")
    func several() {
        let later = Later()
        later.set([1, 1, 1, 1])
        let ended = Atomic(0)
        let failed = Atomic(0)
        for thread in 0..<3 as Range<UInt64> {
            Thread.detachNewThread {
                for round in 0..<100_000 as Range<UInt64> {
                    let word = 1 + round * 3 + thread
                    if !later.set([word, word, word, word]) {
                        failed.add(1, ordering: .relaxed)
                    }
                }
                ended.add(1, ordering: .releasing)
            }
        }
        Thread.detachNewThread {
            while ended.load(ordering: .acquiring) < 3 { epitaph_later_action_reset(later.pointer) }
            ended.add(1, ordering: .releasing)
        }
        var torn: [[UInt64]] = []
        while ended.load(ordering: .acquiring) < 4 {
            let words = later.words ?? []
            let isWhole = words.count == 4 && Set(words.dropFirst()).count == 1
            if !isWhole || (words[0] != 0 && words[0] != words[1]) { torn.append(words) }
        }
        #expect(torn.isEmpty)
        #expect(failed.load(ordering: .relaxed) == 0)
    }
}
