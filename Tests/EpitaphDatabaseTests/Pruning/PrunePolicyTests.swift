// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues
import Foundation
import Testing

@Suite struct PrunePolicyTests {
    private let now = Timestamp(secondsSince1970: 1_800_000_000)
    private let day = 86_400.0

    /// A report that is `age` days old.
    private func report(
        _ number: Int, age: Double, _ state: ReportState = .pending, bytes: Int = 100,
        uploaded: Bool = false, requested: Bool = false, locked: Bool = false
    ) -> PruneCandidate {
        let digits = String(number)
        let tail = String(repeating: "0", count: 12 - digits.count) + digits
        return PruneCandidate(
            uuid: Epitaph.ID("00000000-0000-4000-8000-" + tail)!, state: state,
            creationTime: now.adding(seconds: -age * day), sizeBytes: bytes,
            isUploaded: uploaded, isUploadRequested: requested, isLocked: locked)
    }

    private func removed(_ plan: PrunePlan) -> [Int] {
        plan.removals.map { Int($0.candidate.uuid.description.uppercased().suffix(12)) ?? -1 }
    }

    @Test("Without limits everything stays, however old, many or large")
    func noLimits() {
        let reports = (0..<200).map { report($0, age: Double($0) * 100, bytes: .max) }
        #expect(PrunePolicy().plan(for: reports, at: now) == PrunePlan())
        let negative = PrunePolicy(maxAgeDays: -1, maxRecordCount: -5, maxDatabaseSizeMB: .min)
        #expect(negative.plan(for: reports, at: now) == PrunePlan())
    }

    @Test("A report older than the limit goes, one exactly as old stays")
    func age() {
        let policy = PrunePolicy(maxAgeDays: 30)
        let reports = [
            report(1, age: 30 + 1 / day), report(2, age: 30), report(3, age: 400, locked: true),
            report(4, age: 31, requested: true), report(5, age: 90, .completed, uploaded: true),
        ]
        let plan = policy.plan(for: reports, at: now)
        #expect(Set(removed(plan)) == [1, 4, 5])
        #expect(plan.removals.allSatisfy { $0.reason == .tooOld })
    }

    @Test("What can be spared most goes first: sent, given up, waiting, asked for; then by age")
    func order() {
        let reports = [
            report(8, age: 9, requested: true), report(7, age: 1, requested: true),
            report(6, age: 50), report(5, age: 2), report(4, age: 80, .completed),
            report(3, age: 1, .completed), report(2, age: 3, .completed, uploaded: true),
            report(1, age: 4, .completed, uploaded: true),
        ]
        let all = PrunePolicy(maxDatabaseSizeMB: 1)
        let large = reports.map { candidate in
            var copy = candidate
            copy.sizeBytes = 2 << 20
            return copy
        }
        #expect(removed(all.plan(for: large, at: now)) == [1, 2, 4, 3, 6, 5, 8, 7])
        for count in 1...8 {
            let plan = PrunePolicy(maxRecordCount: count).plan(for: reports.shuffled(), at: now)
            #expect(removed(plan) == Array([1, 2, 4, 3, 6, 5, 8, 7].prefix(8 - count)))
            #expect(plan.removals.allSatisfy { $0.reason == .tooMany })
        }
    }

    @Test("One that is in use counts, and another goes in its place")
    func locked() {
        let reports = [
            report(1, age: 5, locked: true), report(2, age: 4), report(3, age: 3, locked: true),
        ]
        #expect(removed(PrunePolicy(maxRecordCount: 2).plan(for: reports, at: now)) == [2])
        // Only locked ones are left, so no more can be done.
        #expect(removed(PrunePolicy(maxRecordCount: 1).plan(for: reports, at: now)) == [2])
    }

    @Test("A megabyte is 1,048,576 bytes, and exactly the limit is within it")
    func size() {
        let policy = PrunePolicy(maxDatabaseSizeMB: 3)
        let half = 1 << 19
        var reports = (0..<6).map { report($0, age: Double(10 - $0), bytes: half) }
        #expect(policy.plan(for: reports, at: now) == PrunePlan())
        reports[5].sizeBytes += 1
        let plan = policy.plan(for: reports, at: now)
        #expect(removed(plan) == [0])
        #expect(plan.removals.first?.reason == .tooLarge)
        // An empty one frees nothing, so it is left.
        reports[0].sizeBytes = 0
        reports[5].sizeBytes += half
        #expect(removed(policy.plan(for: reports, at: now)) == [1])
    }

    @Test("Sizes that cannot be added and limits that cannot be multiplied are no trap")
    func overflow() {
        let reports = (0..<4).map { report($0, age: Double(10 - $0), bytes: .max) }
        #expect(
            PrunePolicy(maxDatabaseSizeMB: .max).plan(for: reports, at: now) == PrunePlan())
        #expect(removed(PrunePolicy(maxDatabaseSizeMB: 1).plan(for: reports, at: now)).count == 4)
        #expect(PrunePolicy(maxAgeDays: .max).plan(for: reports, at: now) == PrunePlan())
    }

    @Test("Age, count and size act one after the other on what the others left")
    func together() {
        let policy = PrunePolicy(maxAgeDays: 30, maxRecordCount: 3, maxDatabaseSizeMB: 1)
        let reports = [
            report(1, age: 40), report(2, age: 20), report(3, age: 10), report(4, age: 5),
            report(5, age: 1, bytes: 1 << 20),
        ]
        let plan = policy.plan(for: reports, at: now)
        #expect(removed(plan) == [1, 2, 3, 4])
        #expect(plan.removals.map(\.reason) == [.tooOld, .tooMany, .tooLarge, .tooLarge])
    }

    @Test("A report from the future is neither removed at once nor left as it is")
    func future() {
        let policy = PrunePolicy(maxAgeDays: 30)
        let reports = [
            report(1, age: -1), report(2, age: -1 - 1 / day), report(3, age: -20_000),
            report(4, age: -20_000, locked: true),
        ]
        let plan = policy.plan(for: reports, at: now)
        #expect(plan.removals.isEmpty)
        #expect(
            Set(plan.fromTheFuture.map { $0.uuid.description.uppercased().last }) == ["2", "3"])
        // Too many of them are too many, and what goes is not dated anew.
        let few = PrunePolicy(maxRecordCount: 1).plan(for: Array(reports.prefix(3)), at: now)
        #expect(removed(few) == [1, 2])
        #expect(few.fromTheFuture.map(\.uuid) == [reports[2].uuid])
    }

    @Test("While the clock is not trusted no age counts, and the other limits do")
    func untrusted() {
        let reports = [report(1, age: 20_000), report(2, age: -20_000), report(3, age: 1)]
        let policy = PrunePolicy(maxAgeDays: 1, maxRecordCount: 2)
        let plan = policy.plan(for: reports, at: now, isClockTrusted: false)
        #expect(removed(plan) == [1])
        #expect(plan.removals.first?.reason == .tooMany)
        #expect(plan.fromTheFuture.isEmpty)
    }

    @Test("A plan keeps the limits, takes no more than it must and spares the locked ones")
    func invariants() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let reports = (0..<Int.random(in: 0...12, using: &random)).map { number in
                report(
                    number, age: .random(in: -5...60), Bool.random() ? .pending : .completed,
                    bytes: .random(in: 0...(1 << 20)), uploaded: .random(),
                    requested: .random(), locked: Int.random(in: 0..<4) == 0)
            }
            let policy = PrunePolicy(
                maxAgeDays: .random(in: 0...40), maxRecordCount: .random(in: 0...8),
                maxDatabaseSizeMB: .random(in: 0...4))
            let plan = policy.plan(for: reports, at: now)
            let gone = Set(plan.removals.map(\.candidate.uuid))
            let kept = reports.filter { !gone.contains($0.uuid) }
            #expect(gone.count == plan.removals.count)
            #expect(plan.removals.allSatisfy { !$0.candidate.isLocked })
            let free = kept.filter { !$0.isLocked }
            // No unsent report goes in the place of another one that is in use.
            let inUse = kept.filter { $0.isLocked && !$0.isUnsent }
            if policy.maxRecordCount > 0, kept.count > policy.maxRecordCount {
                #expect(free.allSatisfy { $0.isUnsent })
                #expect(free.isEmpty || kept.count <= policy.maxRecordCount + inUse.count)
            }
            let bytes = kept.reduce(0) { $0 + $1.sizeBytes }
            let limit = policy.maxDatabaseSizeMB << 20
            if policy.maxDatabaseSizeMB > 0, bytes > limit {
                let some = free.filter { $0.sizeBytes > 0 }
                #expect(some.allSatisfy { $0.isUnsent })
                #expect(some.isEmpty || bytes <= limit + inUse.reduce(0) { $0 + $1.sizeBytes })
            }
        }
    }
}
