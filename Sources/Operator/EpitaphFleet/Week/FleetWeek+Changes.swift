// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FleetWeek {
    package struct Before: Sendable, Equatable {
        package var crashCount: Int
        /// By the step of the span with which it is compared.
        package var perStep: [Int]
    }

    package struct Running: Sendable, Equatable {
        package var now: Double
        package var before: Double

        package init(now: Double, before: Double) {
            self.now = now
            self.before = before
        }
    }

    package struct Change: Sendable, Equatable {
        package var program: String
        package var identifier: String
        package var text: String
        package var crashCount: Int
        package var hostCount: Int
        package var crashCountBefore: Int
        package var reportID: String
        /// The first release that lacked it and the one that has it again; nil if it was not gone.
        package var gap: Gap?
        /// How often, divided by how often before; perhaps infinite. Nil unless certainly worse.
        package var factor: Double?
    }

    package struct Gap: Sendable, Equatable {
        package var goneIn: String
        package var backIn: String
    }

    package static let mostChanges = 1_000

    package var backCount: Int { changes.count { $0.gap != nil } }
    package var worseCount: Int { changes.count { $0.factor != nil } }

    package func change(of signature: Signature) -> Change? {
        changes.first {
            $0.program == signature.program && $0.identifier == signature.identifier
        }
    }
}

struct SignatureCounts {
    var program: String
    var identifier: String
    var text: String
    var crashCount: Int
    var crashCountBefore: Int
    var hostCount: Int
    var reportID: String
    /// The first crash at any time.
    var first: Timestamp
    var hours: Int
    var hoursBefore: Int
    /// Counts of the host with most in the span; among equals, of the one with the fewest before.
    var mostHours: Int
    var mostHoursBefore: Int
}

/// A signature that a release lacked between two that have it, and that came back in the span.
struct SignatureGap {
    var program: String
    var identifier: String
    var gap: FleetWeek.Gap
    /// Its crashes in the releases before, all crashes in them, and those in releases without it.
    var seen: Int
    var among: Int
    var others: Int
}

extension FleetWeek {
    /// Sets `changes` and `running`; the other numbers have to be there.
    ///
    /// - Parameters:
    ///   - counts: of the signatures of the span. New ones are neither worse nor back.
    ///   - programs: those with a crash in the span or before.
    ///   - hours: how long programs ran.
    mutating func judge(
        _ counts: [SignatureCounts], _ gaps: [SignatureGap], programs: Set<String>,
        hours: [String: Running]
    ) {
        let known = hours.filter { $0.value.now > 0 && $0.value.before > 0 }
        if !programs.isEmpty, programs.allSatisfy({ known[$0] != nil }) {
            running = programs.reduce(into: Running(now: 0, before: 0)) { sum, program in
                sum.now += known[program]?.now ?? 0
                sum.before += known[program]?.before ?? 0
            }
        }
        for one in counts where one.first < span.start {
            let gap = gaps.first {
                $0.program == one.program && $0.identifier == one.identifier
            }.flatMap { isCertain($0) ? $0.gap : nil }
            let factor =
                before == nil ? nil : factor(one, running == nil ? nil : known[one.program])
            guard gap != nil || factor != nil else { continue }
            changes.append(
                Change(
                    program: one.program, identifier: one.identifier, text: one.text,
                    crashCount: one.crashCount, hostCount: one.hostCount,
                    crashCountBefore: one.crashCountBefore, reportID: one.reportID, gap: gap,
                    factor: factor))
        }
        changes.sort {
            ($1.crashCount, $0.program, $0.identifier) < ($0.crashCount, $1.program, $1.identifier)
        }
    }

    private func isCertain(_ gap: SignatureGap) -> Bool {
        ChangeTest.isCertain(
            logarithm: ChangeTest.logarithm(seen: gap.seen, among: gap.among, others: gap.others),
            signatures: signatureCount)
    }

    /// Nil unless it is certainly more than 1, also without the host that crashed most, if there
    /// are others: one sick machine makes nothing worse.
    private func factor(_ one: SignatureCounts, _ running: Running?) -> Double? {
        let (start, end) = (span.before.lowerBound, span.before.upperBound)
        let running =
            running
            ?? Running(
                now: span.end.secondsSince1970 - span.start.secondsSince1970,
                before: end.secondsSince1970 - start.secondsSince1970)
        let leavesOut = hostCountOfBoth > 1
        let bound = ChangeTest.logarithm(
            now: one.hours - (leavesOut ? one.mostHours : 0),
            before: one.hoursBefore - (leavesOut ? one.mostHoursBefore : 0),
            share: running.now / (running.now + running.before))
        guard ChangeTest.isCertain(logarithm: bound, signatures: signatureCount) else { return nil }
        return Double(one.hours) / running.now / (Double(one.hoursBefore) / running.before)
    }
}
