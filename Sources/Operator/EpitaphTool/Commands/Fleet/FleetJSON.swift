// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphFleet
import EpitaphValues

extension PrintedJSON {
    init(_ found: CountedWeek) {
        let week = found.week
        let tellsNew = week.newSignatureCount != nil
        let releases = week.releases.map { release -> PrintedJSON in
            [
                "program": release.program, "version": release.version,
                "crashes": release.crashCount, "hosts": release.hostCount,
                "signatures": release.signatureCount,
                "first": PreciseTime.timestamp(release.first),
                "isNew": tellsNew ? week.isNew(release) : nil,
            ]
        }
        let hosts = week.hosts.map { host -> PrintedJSON in
            [
                "host": host.name, "signatures": host.signatureCount,
                "programs": host.programCount, "crashes": host.crashCount,
            ]
        }
        let changes = week.changes.map { change -> PrintedJSON in
            [
                "program": change.program, "identifier": change.identifier,
                "signature": change.text, "crashes": change.crashCount,
                "crashesBefore": week.before == nil ? nil : change.crashCountBefore,
                "hosts": change.hostCount, "report": change.reportID,
                "goneIn": change.gap?.goneIn, "backIn": change.gap?.backIn,
                "isWorse": change.factor != nil,
                "factor": change.factor.flatMap { $0.isFinite ? $0 : nil },
            ]
        }
        let kinds = week.otherKinds.map { kind -> PrintedJSON in
            ["kind": kind.name, "reports": kind.reportCount]
        }
        let memoryErrors = week.memoryErrors.map { error -> PrintedJSON in
            [
                "error": error.name, "reports": error.reportCount, "hosts": error.hostCount,
                "signatures": error.signatureCount,
            ]
        }
        self.init(
            schema: "fleet",
            [
                "source": found.source, "since": UTCTime.timestamp(week.span.start),
                "until": UTCTime.timestamp(week.span.end), "stepSeconds": week.span.stepSeconds,
                "crashes": week.crashCount, "hosts": week.hostCount,
                "programs": week.programCount, "releases": week.releaseCount,
                "signatures": week.signatureCount, "newSignatures": week.newSignatureCount,
                "doubtful": week.doubtfulCount,
                "earliest": week.earliest.map(PreciseTime.timestamp),
                "summary": week.changeWords, "crashesPerStep": week.perStep,
                "before": UTCTime.timestamp(week.span.before.lowerBound),
                "crashesBefore": week.before?.crashCount,
                "crashesPerStepBefore": week.before?.perStep,
                "hostsInBoth": week.hostCountOfBoth, "runningHours": week.running?.now,
                "runningHoursBefore": week.running?.before,
                "backSignatures": week.backCount,
                "worseSignatures": week.before == nil ? nil : week.worseCount,
                "changes": changes,
                "topSignatures": week.signatures.map { PrintedJSON($0, tellsNew: tellsNew) },
                "topNewSignatures": week.newSignatures.map { PrintedJSON($0) },
                "topReleases": releases, "topHosts": hosts, "memoryErrors": memoryErrors,
                "otherReports": kinds,
                "remarks": found.remarks + week.remarks + week.stepRemarks,
            ])
    }

    private init(_ signature: FleetWeek.Signature, tellsNew: Bool) {
        self = [
            "program": signature.program, "identifier": signature.identifier,
            "signature": signature.text, "crashes": signature.crashCount,
            "hosts": signature.hostCount, "versions": signature.versionCount,
            "first": PreciseTime.timestamp(signature.first),
            "last": PreciseTime.timestamp(signature.last),
            "isNew": tellsNew ? signature.isNew : nil, "report": signature.reportID,
            "crashesPerStep": signature.perStep,
        ]
    }

    private init(_ signature: FleetWeek.NewSignature) {
        self = [
            "program": signature.program, "identifier": signature.identifier,
            "signature": signature.text, "crashes": signature.crashCount,
            "hosts": signature.hostCount, "first": PreciseTime.timestamp(signature.first),
            "firstVersion": signature.firstVersion, "report": signature.reportID,
        ]
    }
}
