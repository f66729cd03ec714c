// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphFleet
import EpitaphValues

/// The page as text, without charts. Reports' texts are in last columns, where blanks are safe.
struct FleetText {
    let found: CountedWeek
    private var week: FleetWeek { found.week }

    func print(to output: Output) {
        output.print("\(week.headline), \(week.spanWords)")
        if week.crashCount > 0 { output.print(week.changeWords) }
        table(["CRASHES", "SHARE", "HOSTS", "CHANGE", "LAST", "SIGNATURE"], output) {
            week.signatures.map { signature in
                [
                    "\(signature.crashCount)", week.share(signature.crashCount),
                    "\(signature.hostCount)", change(signature),
                    UTCTime.timestamp(signature.last),
                    name(signature.program) + ": " + FleetWords.signature(signature.text),
                ]
            }
        }
        more(week.signatureCount - week.signatures.count, "signatures", output)
        table(["CRASHES", "SHARE", "HOSTS", "SIGNATURES", "NEW", "RELEASE"], output) {
            week.releases.map { release in
                [
                    "\(release.crashCount)", week.share(release.crashCount),
                    "\(release.hostCount)", "\(release.signatureCount)",
                    mark(week.isNew(release)),
                    name(release.program) + " " + FleetWords.version(release.version),
                ]
            }
        }
        more(week.releaseCount - week.releases.count, "releases", output)
        table(["SIGNATURES", "PROGRAMS", "CRASHES", "HOST"], output) {
            week.hosts.map { host in
                [
                    "\(host.signatureCount)", "\(host.programCount)", "\(host.crashCount)",
                    FleetWords.host(host.name),
                ]
            }
        }
        more(week.hostCount - week.hosts.count, "hosts", output)
        table(["REPORTS", "HOSTS", "SIGNATURES", "MEMORY ERROR"], output) {
            week.memoryErrors.map {
                ["\($0.reportCount)", "\($0.hostCount)", "\($0.signatureCount)", $0.name]
            }
        }
        table(["REPORTS", "KIND"], output) {
            week.otherKinds.map { ["\($0.reportCount)", FleetWords.kind($0.name)] }
        }
        (found.remarks + week.remarks).forEach(output.note)
    }

    private func table(_ headings: [String], _ output: Output, _ rows: () -> [[String]]) {
        let rows = rows()
        guard !rows.isEmpty else { return }
        output.print()
        ListTable(forms: [{ .init(headings, rows) }]).print(to: output)
    }

    private func more(_ count: Int, _ things: String, _ output: Output) {
        if count > 0 { output.print("\(count.grouped) more \(things)") }
    }

    private func name(_ program: String) -> String { FleetWords.program(program) }

    private func change(_ signature: FleetWeek.Signature) -> String {
        guard let change = week.change(of: signature) else { return mark(signature.isNew) }
        return [change.factor.map { _ in "worse" }, change.gap.map { _ in "back" }]
            .compactMap(\.self).joined(separator: ",")
    }

    private func mark(_ isNew: Bool) -> String {
        week.newSignatureCount == nil ? "?" : isNew ? "new" : "-"
    }
}
