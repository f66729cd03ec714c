// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

package struct TableWeek {
    private let client: ClickHouseClient
    private let span: WeekSpan

    package static var timeLimits: TimeLimits {
        var limits = TimeLimits()
        limits.stall = .seconds(120)
        limits.total = .seconds(120)
        return limits
    }

    /// The longest answer needed; a limit for the client's transport.
    package static let answerBytes = 8 << 20

    package init(_ client: ClickHouseClient, _ span: WeekSpan) {
        self.client = client
        self.span = span
    }

    /// Each question sees the table at its own moment, so sums may differ by rows that arrive
    /// meanwhile.
    ///
    /// - Throws: at the first question without an answer.
    package func read() throws(FleetError) -> FleetWeek {
        let table = try CrashTable(
            client.location, description: answer(to: CrashTable.question(about: client.location)))
        let questions = WeekQuestions(clocks: ClockQuestions(table), span: span)
        var week = FleetWeek(span)
        let doubtful: WeekAnswers.Doubtful = try row(questions.clocks.doubtfulCount)
        week.doubtfulCount = doubtful.reports.value
        let totals: WeekAnswers.Totals = try row(questions.totals)
        week.crashCount = totals.crashes.value
        week.hostCount = totals.hosts.value
        week.programCount = totals.programs.value
        week.signatureCount = totals.signatures.value
        week.releaseCount = totals.releases.value
        let earliest: WeekAnswers.Earliest = try row(questions.earliest)
        // The minimum of no rows is 1970.
        week.earliest = earliest.crashes.value > 0 ? earliest.earliest.time : nil
        week.otherKinds = try rows(questions.otherKinds).map { (kind: WeekAnswers.Kind) in
            .init(name: kind.kind, reportCount: kind.reports.value)
        }
        week.memoryErrors = try memoryErrors(questions)
        guard week.crashCount > 0 else { return week }
        week.perStep = try steps(questions.steps)
        try readNew(questions, &week)
        week.signatures = try signatures(questions, new: week.newSignatures)
        try readChanges(questions, &week)
        week.releases = try releases(questions)
        week.hosts = try hosts(questions)
        return week
    }

    private func readNew(
        _ questions: WeekQuestions, _ week: inout FleetWeek
    ) throws(FleetError) {
        guard let earliest = week.earliest, earliest < span.start else { return }
        let count: WeekAnswers.SignatureCount = try row(questions.newSignatureCount)
        week.newSignatureCount = count.signatures.value
        week.newSignatures = try rows(questions.newSignatures).map {
            (new: WeekAnswers.NewSignature) in
            .init(
                program: new.program, identifier: new.signatureID, text: new.text,
                crashCount: new.crashes.value, hostCount: new.hosts.value, first: new.first.time,
                firstVersion: new.firstVersion, reportID: new.report)
        }
    }

    private func readChanges(
        _ questions: WeekQuestions, _ week: inout FleetWeek
    ) throws(FleetError) {
        let hosts: WeekAnswers.Hosts = try row(questions.hostsOfBoth)
        week.hostCountOfBoth = hosts.hosts.value
        if let earliest = week.earliest, span.isBeforeKnown(earliest) {
            let steps = try steps(questions.stepsBefore)
            week.before = .init(crashCount: steps.reduce(0, +), perStep: steps)
        }
        let counts: [WeekAnswers.Change] = try rows(questions.changes)
        let gaps: [WeekAnswers.Gap] = try rows(questions.gaps)
        let programs: [WeekAnswers.Program] = try rows(questions.programs)
        week.judge(
            counts.map { one in
                SignatureCounts(
                    program: one.program, identifier: one.signatureID, text: one.text,
                    crashCount: one.crashes.value, crashCountBefore: one.crashesBefore.value,
                    hostCount: one.hosts.value, reportID: one.report, first: one.first.time,
                    hours: one.hours.value, hoursBefore: one.hoursBefore.value,
                    mostHours: one.mostHours.value, mostHoursBefore: one.mostHoursBefore.value)
            },
            gaps.map { one in
                SignatureGap(
                    program: one.program, identifier: one.signatureID,
                    gap: .init(goneIn: one.goneIn, backIn: one.backIn), seen: one.seen.value,
                    among: one.among.value, others: one.others.value)
            }, programs: Set(programs.map(\.program)), hours: try running(questions))
    }

    private func running(
        _ questions: WeekQuestions
    ) throws(FleetError) -> [String: FleetWeek.Running] {
        let hours = ClickHouseLocation("host_hours", beside: client.location)
        let exists: WeekAnswers.Exists = try row(questions.hasRunning(hours))
        guard exists.result.value == 1 else { return [:] }
        let found: [WeekAnswers.Running] = try rows(questions.running(hours))
        return Dictionary(
            found.map { ($0.program, .init(now: $0.now, before: $0.before)) },
            uniquingKeysWith: { first, _ in first })
    }

    private func steps(_ question: String) throws(FleetError) -> [Int] {
        var steps = Array(repeating: 0, count: span.stepCount)
        let rows: [WeekAnswers.Step] = try rows(question)
        for row in rows where steps.indices.contains(row.step.value) {
            steps[row.step.value] = row.crashes.value
        }
        return steps
    }

    private struct Name: Hashable {
        let program: String
        let identifier: String
    }

    /// - Parameter new: the new signatures with the most crashes.
    private func signatures(
        _ questions: WeekQuestions, new: [FleetWeek.NewSignature]
    ) throws(FleetError) -> [FleetWeek.Signature] {
        let top: [WeekAnswers.Signature] = try rows(questions.signatures)
        let all: [WeekAnswers.SignatureStep] = try rows(questions.signatureSteps)
        var steps: [Name: [Int]] = [:]
        for row in all where (0..<span.stepCount).contains(row.step.value) {
            let name = Name(program: row.program, identifier: row.signatureID)
            steps[name, default: Array(repeating: 0, count: span.stepCount)][row.step.value] =
                row.crashes.value
        }
        let newNames = Set(new.map { Name(program: $0.program, identifier: $0.identifier) })
        return top.map { signature in
            let name = Name(program: signature.program, identifier: signature.signatureID)
            return FleetWeek.Signature(
                program: signature.program, identifier: signature.signatureID,
                text: signature.text, crashCount: signature.crashes.value,
                hostCount: signature.hosts.value, versionCount: signature.versions.value,
                first: signature.first.time, last: signature.last.time,
                perStep: steps[name] ?? Array(repeating: 0, count: span.stepCount),
                reportID: signature.report, isNew: newNames.contains(name))
        }
    }

    private func releases(_ questions: WeekQuestions) throws(FleetError) -> [FleetWeek.Release] {
        try rows(questions.releases).map { (release: WeekAnswers.Release) in
            .init(
                program: release.program, version: release.version,
                crashCount: release.crashes.value, hostCount: release.hosts.value,
                signatureCount: release.signatures.value, first: release.first.time)
        }
    }

    private func memoryErrors(
        _ questions: WeekQuestions
    ) throws(FleetError) -> [FleetWeek.MemoryError] {
        try rows(questions.memoryErrors).map { (error: WeekAnswers.MemoryError) in
            .init(
                name: error.error, reportCount: error.reports.value, hostCount: error.hosts.value,
                signatureCount: error.signatures.value)
        }
    }

    private func hosts(_ questions: WeekQuestions) throws(FleetError) -> [FleetWeek.Host] {
        try rows(questions.hosts).map { (host: WeekAnswers.Host) in
            .init(
                name: host.host, crashCount: host.crashes.value,
                programCount: host.programs.value, signatureCount: host.signatures.value)
        }
    }

    private func row<Row: Decodable>(_ statement: String) throws(FleetError) -> Row {
        let all: [Row] = try rows(statement)
        guard all.count == 1 else {
            throw invalid("there are \(all.count) rows and not one")
        }
        return all[0]
    }

    private func rows<Row: Decodable>(_ statement: String) throws(FleetError) -> [Row] {
        var rows: [Row] = []
        for line in try answer(to: statement).split(separator: UInt8(ascii: "\n")) {
            guard let row = try? JSONText.decode(Row.self, from: line) else {
                throw invalid("it has a row that was not asked for")
            }
            rows.append(row)
        }
        return rows
    }

    private func answer(to statement: String) throws(FleetError) -> [UInt8] {
        return try rethrowing(client.answer(to: statement)) { (error: ClickHouseFailure) in
            FleetError(error, client.location)
        }
    }

    private func invalid(_ reason: String) -> FleetError {
        .invalidAnswer(server: client.location.url.server, reason: reason)
    }
}
