// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import Testing

@Suite("The awaiting callers of a child task")
struct SwiftAwaitingTaskTests {
    private static let names: [String?] = [
        "$s1p1aSiyYaFTY1_", "$s1p1bSiyYaFTQ0_", "$s1p1cSiyYaFTQ2_", "$s1p1dSiyYaFTQ_",
    ]
    private static let child: UInt64 = 0x6100_0000
    private static let parent: UInt64 = 0x6200_0000
    private static let record: UInt64 = 0x6300_0000
    private static let group: UInt64 = 0x6400_0000

    /// The child runs functions 0 and 1, its parent 2 and 3. Words of the objects: AsyncTask of
    /// swift/ABI/Task.h and TaskDependencyStatusRecord of swift/ABI/TaskStatus.h, in Swift 6.3.
    private struct Family {
        /// A child of a group has a fragment more, so its first context is further away.
        var words = [UInt64](repeating: 0, count: 38)
        var parentWords = [UInt64](repeating: 0, count: 32)
        /// Flags, next record, what is waited for and two words for that, what it is, who waits.
        var recordWords: [UInt64]

        init(waitingFor awaited: UInt64, kind: UInt64) {
            words[0] = 0x7770
            words[26] = parent
            words[28] = group
            parentWords[0] = 0x7770
            parentWords[8] = MadeUpTask(names).context(1)
            parentWords[13] = record
            // Where only half a word is written, heaps leave what was there.
            recordWords = [0, 0, awaited, 0x6c6c_6f63, 0x2065_6863_0000_0000 | kind, parent]
        }

        var task: MadeUpTask {
            var task = MadeUpTask(names)
            task.chainAll()
            let outermost = child + UInt64(words.count) * 8
            task.links[0].parent = outermost
            task.objects = [
                child: words + [0, MadeUpTask.taskEnd], parent: parentWords, record: recordWords,
            ]
            return task
        }
    }

    private func expect(
        _ family: Family, callers indices: [Int], _ end: Backtrace.AsyncEnd = .startOfTask
    ) throws {
        let task = family.task
        let backtrace = try task.unwind()
        let callers = backtrace.frames.filter { $0.foundBy == .asyncContext }.map(\.lookupAddress)
        #expect(callers == indices.map(task.start))
        #expect(backtrace.asyncEnd == end)
    }

    @Test("They go on in a parent that waits for it or its group", arguments: [1, 3])
    func waiting(kind: UInt64) throws {
        let awaited = kind == 1 ? Self.child : Self.group
        var family = Family(waitingFor: awaited, kind: kind)
        try expect(family, callers: [1, 2, 3])
        // With a larger result.
        family.words += [UInt64](repeating: 1, count: 26)
        try expect(family, callers: [1, 2, 3])
    }

    @Test("A parent that waits for something else, or does not wait, is none")
    func busy() throws {
        for (awaited, kind): (UInt64, UInt64) in [
            (Self.child, 2), (Self.child, 3), (Self.child, 4), (Self.group, 1), (Self.group, 4),
            (Self.child + 16, 1), (Self.group + 16, 3), (Self.parent, 1), (0, 1), (0, 3),
        ] {
            try expect(Family(waitingFor: awaited, kind: kind), callers: [1])
        }
        var family = Family(waitingFor: Self.child, kind: 1)
        family.parentWords[13] = 0
        try expect(family, callers: [1])
    }

    @Test("Other records, tasks and objects prove nothing")
    func unproven() throws {
        let changes: [(inout Family) -> Void] = [
            // A child's record, which is shorter: the rest is not its own.
            { $0.recordWords[0] = 1 }, { $0.recordWords[5] = Self.child }, { $0.recordWords = [] },
            { $0.words[26] = 0 }, { $0.words[26] = Self.record }, { $0.words[0] = 0x7778 },
            { $0.words[0] = 0 }, { $0.parentWords = [] },
            // Further than the outermost context of any task.
            { $0.words += [UInt64](repeating: 1, count: 28) },
        ]
        for change in changes {
            var family = Family(waitingFor: Self.child, kind: 1)
            change(&family)
            try expect(family, callers: [1])
        }
    }

    @Test("Tasks that lead back to each other end where they do")
    func cycle() throws {
        var family = Family(waitingFor: Self.child, kind: 1)
        let first = MadeUpTask(Self.names).context(0)
        family.parentWords[8] = first
        try expect(family, callers: [1], .cycle(context: first))
    }

    @Test("A parent whose context is not there is told as missing")
    func noContext() throws {
        var family = Family(waitingFor: Self.child, kind: 1)
        family.parentWords[8] = 0x1234_5670
        try expect(family, callers: [1], .noMemory(address: 0x1234_5670))
    }
}
