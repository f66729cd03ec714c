// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import EpitaphExplanation
import EpitaphFleet

/// What `fleet --json` prints; docs/dump-convert.md lists the members. What is not known is left
/// out.
struct FleetJSON: PrintedJSON {
    let schema = "urn:epitaph:fleet"
    let schemaVersion = 1
    let source: String
    let since: String
    let until: String
    let stepSeconds: Int
    let crashes: Int
    let hosts: Int
    let programs: Int
    let releases: Int
    let signatures: Int
    let newSignatures: Int?
    let earliest: String?
    let crashesPerStep: [Int]
    let topSignatures: [Signature]
    let topNewSignatures: [NewSignature]
    let topReleases: [Release]
    let topHosts: [Host]
    let otherReports: [Kind]
    let remarks: [String]

    struct Signature: Encodable {
        let program, identifier, signature: String
        let crashes, hosts, versions: Int
        let first, last: String
        let isNew: Bool?
        let crashesPerStep: [Int]
    }

    struct NewSignature: Encodable {
        let program, identifier, signature: String
        let crashes, hosts: Int
        let first, firstVersion: String
    }

    struct Release: Encodable {
        let program, version: String
        let crashes, hosts, signatures: Int
        let first: String
        let isNew: Bool?
    }

    struct Host: Encodable {
        let host: String
        let signatures, programs, crashes: Int
    }

    struct Kind: Encodable {
        let kind: String
        let reports: Int
    }

    init(_ found: CountedWeek) {
        let week = found.week
        let tellsNew = week.newSignatureCount != nil
        source = found.source
        since = UTCTime.timestamp(week.span.start)
        until = UTCTime.timestamp(week.span.end)
        stepSeconds = week.span.stepSeconds
        crashes = week.crashCount
        hosts = week.hostCount
        programs = week.programCount
        releases = week.releaseCount
        signatures = week.signatureCount
        newSignatures = week.newSignatureCount
        earliest = week.earliest.map(PreciseTime.timestamp)
        crashesPerStep = week.perStep
        topSignatures = week.signatures.map { Signature($0, tellsNew: tellsNew) }
        topNewSignatures = week.newSignatures.map(NewSignature.init)
        topReleases = week.releases.map { Release($0, isNew: tellsNew ? week.isNew($0) : nil) }
        topHosts = week.hosts.map {
            Host(
                host: $0.name, signatures: $0.signatureCount, programs: $0.programCount,
                crashes: $0.crashCount)
        }
        otherReports = week.otherKinds.map { Kind(kind: $0.name, reports: $0.reportCount) }
        remarks = found.remarks + week.remarks
    }
}

extension FleetJSON.Signature {
    fileprivate init(_ signature: FleetWeek.Signature, tellsNew: Bool) {
        self.init(
            program: signature.program, identifier: signature.identifier,
            signature: signature.text, crashes: signature.crashCount, hosts: signature.hostCount,
            versions: signature.versionCount, first: PreciseTime.timestamp(signature.first),
            last: PreciseTime.timestamp(signature.last), isNew: tellsNew ? signature.isNew : nil,
            crashesPerStep: signature.perStep)
    }
}

extension FleetJSON.NewSignature {
    fileprivate init(_ signature: FleetWeek.NewSignature) {
        self.init(
            program: signature.program, identifier: signature.identifier,
            signature: signature.text, crashes: signature.crashCount, hosts: signature.hostCount,
            first: PreciseTime.timestamp(signature.first), firstVersion: signature.firstVersion)
    }
}

extension FleetJSON.Release {
    fileprivate init(_ release: FleetWeek.Release, isNew: Bool?) {
        self.init(
            program: release.program, version: release.version, crashes: release.crashCount,
            hosts: release.hostCount, signatures: release.signatureCount,
            first: PreciseTime.timestamp(release.first), isNew: isNew)
    }
}
