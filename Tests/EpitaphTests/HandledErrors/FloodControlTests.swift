// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Epitaph

@Suite struct FloodControlTests {
    @Test("The first of a kind is reported, the others of its window are one number")
    func oneWindow() {
        var flood = FloodControl(perMinute: 30, windowSeconds: 60)
        #expect(flood.admit(1, at: 0) == .report)
        #expect(flood.admit(1, at: 10) == .counted)
        #expect(flood.admit(2, at: 11) == .report)
        #expect(flood.admit(1, at: 20) == .counted)
        #expect(flood.count(of: 1) == 2)
        #expect(flood.takeFollowUp(at: 59) == nil)
        #expect(
            flood.takeFollowUp(at: 60)
                == FloodControl.FollowUp(key: 1, count: 2, firstSeconds: 10, lastSeconds: 20))
        #expect(flood.takeFollowUp(at: 60) == nil)
    }

    @Test("A kind that goes on has one follow-up for each window, and none is lost between two")
    func manyWindows() {
        var flood = FloodControl(perMinute: 30, windowSeconds: 60)
        var reports = 0
        var followedUp = 0
        var followUps = 0
        for second in 0..<600 {
            while let followUp = flood.takeFollowUp(at: Double(second)) {
                followUps += 1
                followedUp += followUp.count
            }
            if flood.admit(7, at: Double(second)) == .report { reports += 1 }
        }
        let last = flood.takeFollowUp(at: 600, all: true)?.count ?? 0
        #expect(reports == 1)
        #expect(followUps == 9)
        #expect(reports + followedUp + last == 600)
    }

    @Test("A kind that was quiet for a window is new again")
    func quiet() {
        var flood = FloodControl(perMinute: 30, windowSeconds: 60)
        #expect(flood.admit(1, at: 0) == .report)
        #expect(flood.admit(1, at: 61) == .report)
        #expect(flood.takeFollowUp(at: 500) == nil)
        #expect(!flood.knows(1))
    }

    @Test("No more than so many a minute, and the minute fills up again bit by bit")
    func rate() {
        var flood = FloodControl(perMinute: 3, windowSeconds: 60)
        let verdicts = (0..<5).map { flood.admit(UInt64($0), at: 0) }
        #expect(verdicts == [.report, .report, .report, .tooMany, .tooMany])
        #expect(flood.admit(9, at: 19) == .tooMany)
        #expect(flood.admit(9, at: 20) == .report)
        #expect(flood.admit(10, at: 21) == .tooMany)
    }

    @Test("A clock that goes back gives no reports away")
    func clockGoesBack() {
        var flood = FloodControl(perMinute: 1, windowSeconds: 60)
        #expect(flood.admit(1, at: 100) == .report)
        #expect(flood.admit(2, at: 50) == .tooMany)
        #expect(flood.admit(1, at: 50) == .counted)
    }

    @Test("A follow-up for which the minute has no room goes on counting")
    func followUpWaits() {
        var flood = FloodControl(perMinute: 1, windowSeconds: 10)
        #expect(flood.admit(1, at: 0) == .report)
        #expect(flood.admit(1, at: 1) == .counted)
        #expect(flood.takeFollowUp(at: 10) == nil)
        #expect(flood.admit(1, at: 30) == .counted)
        #expect(flood.nextEnd.map { $0 > 10 } == true)
        #expect(flood.takeFollowUp(at: 80)?.count == 2)
    }

    @Test("With no reports allowed there are none")
    func nothingAllowed() {
        var flood = FloodControl(perMinute: 0, windowSeconds: 60)
        #expect(flood.admit(1, at: 0) == .tooMany)
        #expect(flood.admit(nil, at: 0) == .tooMany)
        #expect(flood.admit(1, at: 1_000_000) == .tooMany)
    }

    @Test("A million kinds take no more room than the limit")
    func bounded() {
        var flood = FloodControl(perMinute: 1_000_000, windowSeconds: 3_600)
        for key in 0..<100_000 { _ = flood.admit(UInt64(key), at: 0) }
        let known = (0..<100_000).count { flood.knows(UInt64($0)) }
        #expect(known == FloodControl.entryLimit)
        // What is not told apart is reported each time.
        #expect(flood.admit(99_999, at: 1) == .report)
    }
}
