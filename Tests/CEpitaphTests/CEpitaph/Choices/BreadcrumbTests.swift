// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Breadcrumbs of programs that crash for real.
@Suite struct BreadcrumbTests {
    @Test("The latest 64 are there in order, with level, category and time")
    func latest() throws {
        let before = UInt64(Timestamp.now.secondsSince1970 * 1_000_000_000)
        let snapshot = try Dummy("crumbs", threads: 2).snapshot()
        let breadcrumbs = snapshot.breadcrumbs
        #expect(breadcrumbs.map(\.message) == (37...100).map { "step \($0)" })
        #expect(breadcrumbs.map(\.number) == Array(37...100))
        #expect(breadcrumbs.allSatisfy { $0.category == "steps" && !$0.isCut })
        #expect(
            breadcrumbs.map(\.level) == (37...100).map { Breadcrumb.Level(rawValue: $0 % 5 + 1) })
        #expect(breadcrumbs.map(\.timeNanoseconds).allSatisfy { $0 > before })
        let uptimes = breadcrumbs.compactMap(\.uptimeNanoseconds)
        #expect(uptimes.count == 64 && uptimes == uptimes.sorted())
        #expect(try #require(uptimes.last) <= #require(snapshot.process.uptimeNanoseconds))
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test(
        "How many are kept is an option",
        arguments: [(0, 0), (1, 1), (7, 7), (100, 100), (1024, 100)])
    func limit(_ limit: Int, _ kept: Int) throws {
        let snapshot = try Dummy("crumbs", ["crumbs=\(limit)"]).snapshot()
        #expect(snapshot.breadcrumbs.map(\.number) == (0..<kept).map { UInt64(101 - kept + $0) })
        #expect(snapshot.damage.isEmpty)
    }

    @Test("Of cleared breadcrumbs nothing is left, in the ring and in the scope; numbers go on")
    func cleared() throws {
        let run = try Dummy("crumbs-cleared")
        let snapshot = try run.snapshot()
        #expect(snapshot.breadcrumbs.map(\.message) == ["after"])
        #expect(snapshot.breadcrumbs.map(\.number) == [101])
        #expect(snapshot.damage.isEmpty, "\(snapshot.damage.map(\.sentence))")
    }

    @Test("Asking for too many is refused in words")
    func tooMany() throws {
        let run = try Dummy("crumbs", ["crumbs=1025"])
        #expect(run.result.ending == .exited(70))
        #expect(run.result.standardError == "options.breadcrumb_limit: give 0 to 1024\n")
        #expect(run.files.isEmpty)
    }

    @Test("Long texts end before a character that does not fit; no other text is changed")
    func texts() throws {
        let breadcrumbs = try Dummy("crumbs-odd").snapshot().breadcrumbs
        let even = String(repeating: "é", count: 128)
        #expect(breadcrumbs.count == 7)
        #expect(breadcrumbs[0].message == even && breadcrumbs[0].isCut)
        #expect(breadcrumbs[1].message == "x" + even.dropLast() && breadcrumbs[1].isCut)
        #expect(
            breadcrumbs[2].message == String(repeating: "\u{fffd}", count: 256)
                && breadcrumbs[2].isCut)
        #expect(breadcrumbs[3].category == "a category of more than 32 bytes")
        #expect(!breadcrumbs[3].isCut && breadcrumbs[3].level == .info)
        #expect(breadcrumbs[4].category == breadcrumbs[3].category && breadcrumbs[4].isCut)
        #expect(breadcrumbs[4].level == .info)
        #expect(breadcrumbs[5].message == "" && breadcrumbs[5].category == "")
        #expect(breadcrumbs[5].level == .fatal)
        #expect(breadcrumbs[6].message == "a\0b\u{1b}[2J")
    }

    @Test("Threads and handlers that note something at the moment of the crash leave whole ones")
    func storm() throws {
        var kept = 0
        for _ in 0..<testRounds {
            let run = try Dummy("crumbs-storm", ["crumbs=256"])
            #expect(run.result.ending == .signalled(SIGSEGV))
            let snapshot = try run.snapshot()
            kept += snapshot.breadcrumbs.count
            #expect(Set(snapshot.breadcrumbs.map(\.number)).count == snapshot.breadcrumbs.count)
            for breadcrumb in snapshot.breadcrumbs {
                let words = breadcrumb.category.split(separator: " ")
                let count = try #require(words.last.flatMap { Int($0) })
                let whole = String(repeating: String(words[0]), count: count)
                #expect(breadcrumb.message == whole, "\(breadcrumb.number) is torn")
            }
            // Besides it the four threads that cannot be stopped.
            for damage in snapshot.damage where damage.subject.hasSuffix("breadcrumbs") {
                #expect(damage.reason == "half written at that moment")
            }
        }
        // Each of nine threads can be in the middle of one, and five of another in a handler.
        #expect(kept >= testRounds * (256 - 14))
    }

    @Test("One whose writer died in its middle is skipped and counted")
    func torn() throws {
        let run = try Dummy("crumbs-torn")
        #expect(run.result.ending == .signalled(SIGSEGV))
        let snapshot = try run.snapshot()
        #expect(snapshot.breadcrumbs.map(\.message) == ["whole"])
        #expect(
            snapshot.damage.map(\.sentence) == ["1 breadcrumb: half written at that moment"])
        let full = try Dummy("crumbs-torn", ["crumbs=1"]).snapshot()
        #expect(full.breadcrumbs.isEmpty)
    }

    @Test(
        "A ring that is broken costs the breadcrumbs alone",
        arguments: [
            ("crumbs-no-ring", "breadcrumb at 0x", "the handler itself faulted there"),
            ("crumbs-wild-ring", "breadcrumbs", "the data found there makes no sense"),
        ])
    func broken(_ way: String, _ subject: String, _ reason: String) throws {
        let run = try Dummy(way, threads: 2)
        #expect(run.result.ending == .signalled(SIGSEGV))
        let dump = try run.dump()
        #expect(dump.isComplete)
        let snapshot = dump.snapshot
        #expect(snapshot.damage.count == 1)
        #expect(snapshot.damage.first?.subject.hasPrefix(subject) == true)
        #expect(snapshot.damage.first?.reason == reason)
        #expect(snapshot.breadcrumbs.isEmpty && snapshot.annotations.count == 3)
        #expect(snapshot.threads.count == 3 && snapshot.files.cpuinfo != nil)
    }

    @Test("A forked child goes on with a copy of its parent's")
    func fork() throws {
        let run = try Dummy("crumbs-fork")
        #expect(run.result.ending == .signalled(SIGABRT))
        let snapshots = try run.sealed.map { try IntermediateDump($0).snapshot }
        let child = try #require(snapshots.first { $0.exception?.signal == SIGSEGV })
        let parent = try #require(snapshots.first { $0.exception?.signal == SIGABRT })
        #expect(child.breadcrumbs.map(\.message) == ["in the parent", "in the child"])
        #expect(parent.breadcrumbs.map(\.message) == ["in the parent", "after the child"])
    }

    @Test("A live dump has them as well")
    func live() throws {
        let run = try Dummy("crumbs-live", threads: 1)
        let snapshots = try run.sealed.map { try IntermediateDump($0).snapshot }
        let live = try #require(snapshots.first { $0.exception == nil })
        let crash = try #require(snapshots.first { $0.exception != nil })
        #expect(live.breadcrumbs.map(\.message) == ["alive"])
        #expect(crash.breadcrumbs.map(\.message) == ["alive", "about to die"])
        #expect(crash.breadcrumbs.map(\.level) == [.info, .warning])
    }

    @Test(
        "Another start keeps them, unless it asks for another number of them",
        arguments: [
            ("crumbs-start-same", ["before the stop", "after another start"]),
            ("crumbs-start-smaller", ["after another start"]),
            // A program that does not know the option gets 64, as it had.
            ("crumbs-start-old", ["before the stop", "after another start"]),
        ])
    func anotherStart(_ way: String, _ messages: [String]) throws {
        let breadcrumbs = try Dummy(way).snapshot().breadcrumbs
        #expect(breadcrumbs.map(\.message) == messages)
        // By the clock of this start the earlier one has no time.
        #expect(
            breadcrumbs.map { $0.uptimeNanoseconds == nil }
                == messages.map { $0 == "before the stop" })
    }
}
