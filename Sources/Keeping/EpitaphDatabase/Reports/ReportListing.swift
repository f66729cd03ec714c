// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    /// All reports of a state; broken ones are problems. One that moves meanwhile may be missing.
    package func reports(_ state: ReportState) throws(DatabaseError) -> ReportList {
        let directory = directory(of: state)
        let names = try attempt { () throws(SystemError) in try directory.list().names }
        // Attachments are listed after the reports: they are in place before a report is filed.
        let beside = NamesBeside(
            reports: Set(names), attachments: Set((try? attachments.list())?.names ?? []))
        var list = ReportList()
        for name in names {
            if let problem = problem(with: name, among: beside.reports, in: directory) {
                list.problems.append(problem)
                continue
            }
            guard name.hasSuffix(".dmp"), let uuid = Epitaph.ID(fileStem: name.dropLast(4)) else {
                continue
            }
            do throws(DatabaseError) {
                guard let report = try load(uuid, state, beside) else { continue }
                list.reports.append(report)
                if let sentence = report.metadataProblem {
                    list.problems.append(ReportProblem(path: report.path, sentence: sentence))
                }
            } catch {
                list.problems.append(
                    ReportProblem(
                        path: directory.path(of: name), sentence: error.description))
            }
        }
        list.reports.sort { $0.order < $1.order }
        list.problems.sort { $0.path < $1.path }
        return list
    }

    /// All reports. One that changes its state meanwhile is listed once, as last seen.
    package func allReports() throws(DatabaseError) -> ReportList {
        var list = ReportList()
        var seen: [Epitaph.ID: Report] = [:]
        for state in ReportState.allCases {
            let more = try reports(state)
            for report in more.reports { seen[report.uuid] = report }
            list.problems += more.problems
        }
        // It may have moved there while completed was listed.
        let names = try attempt { () throws(SystemError) in try pending.list().names }
        for name in names where name.hasSuffix(".dmp") {
            guard let uuid = Epitaph.ID(fileStem: name.dropLast(4)), seen[uuid] == nil else {
                continue
            }
            // The problem was listed when first seen.
            if let report = (try? load(uuid, .pending)) ?? nil { seen[uuid] = report }
        }
        list.reports = seen.values.sorted { $0.order < $1.order }
        list.problems.sort { $0.path < $1.path }
        return list
    }

    package func report(_ uuid: Epitaph.ID) throws(DatabaseError) -> Report {
        // Pending twice: it may move there while completed is checked.
        for state in [ReportState.pending, .completed, .pending] {
            if let report = try load(uuid, state) { return report }
        }
        throw .notFound(uuid.fileStem)
    }

    /// The only report whose id begins with `prefix`, ignoring case.
    package func report(matching prefix: String) throws(DatabaseError) -> Report {
        if let uuid = Epitaph.ID(prefix) { return try report(uuid) }
        let wanted = prefix.lowercased()
        var matches: Set<Epitaph.ID> = []
        for state in ReportState.allCases {
            let names = try attempt { () throws(SystemError) in
                try directory(of: state).list().names
            }
            for name in names where name.hasPrefix(wanted) && name.hasSuffix(".dmp") {
                if let uuid = Epitaph.ID(fileStem: name.dropLast(4)) { matches.insert(uuid) }
            }
        }
        guard let first = matches.first, !wanted.isEmpty else { throw .notFound(prefix) }
        guard matches.count == 1 else {
            throw .ambiguous(
                prefix: prefix, matches: matches.sorted())
        }
        return try report(first)
    }

    /// Whether a report with this id is filed, complete and safe from a power failure.
    ///
    /// A pending report without any metadata is not: its filing may be unfinished. Broken metadata
    /// does not matter here, and a completed report once had some.
    package func isFiled(_ uuid: Epitaph.ID) throws(DatabaseError) -> Bool {
        for state in [ReportState.pending, .completed, .pending] {
            let directory = directory(of: state)
            let isThere = try attempt { () throws(SystemError) in
                try directory.status(of: uuid.minidumpName)?.kind == .regular
            }
            guard isThere else { continue }
            if state == .pending, case .missing = try storedMetadata(of: uuid, in: directory) {
                continue
            }
            try attempt { () throws(SystemError) in try directory.synchronize() }
            return true
        }
        return false
    }

    /// Nil if there is no minidump with that id.
    ///
    /// - Parameter beside: what was listed of these directories, so that a long list need not ask
    ///   for two files of each report that hardly ever exist.
    func load(
        _ uuid: Epitaph.ID, _ state: ReportState, _ beside: NamesBeside? = nil
    ) throws(DatabaseError) -> Report? {
        let directory = directory(of: state)
        let path = directory.path(of: uuid.minidumpName)
        let found = try attempt { () throws(SystemError) in
            try directory.status(of: uuid.minidumpName)
        }
        guard let found else { return nil }
        guard found.kind == .regular else {
            throw .broken(path: path, reason: "something else than a file is in the report's place")
        }
        let stored = try storedMetadata(of: uuid, in: directory)
        if case .missing = stored {
            // It may have moved between the two checks.
            let again = try attempt { () throws(SystemError) in
                try directory.status(of: uuid.minidumpName)
            }
            guard again != nil else { return nil }
        }
        let metadata: ReportMetadata
        if case .intact(let intact) = stored {
            metadata = intact
        } else {
            metadata = try provisionalMetadata(of: uuid, in: directory, minidump: found)
        }
        let isLocked =
            beside?.reports.contains(uuid.lockName)
            ?? ((try? directory.status(of: uuid.lockName)) ?? nil != nil)
        let hasAttachments = beside?.attachments.contains(uuid.fileStem) ?? true
        let filed = Timestamp(wholeSeconds: metadata.creationSeconds)
        let crashTime =
            metadata.crashMicroseconds.map { Timestamp(wholeMicroseconds: $0) }
            ?? crashTime(inMinidumpOf: uuid, in: directory)
        return Report(
            uuid: uuid, state: state, path: path,
            creationTime: filed, crashTime: crashTime,
            order: ReportOrder(
                crashTime: crashTime, filed: filed, written: found.modificationTime, uuid: uuid),
            uploadAttempts: Int(max(0, metadata.uploadAttempts)),
            lastUploadAttemptTime: metadata.lastUploadAttemptSeconds == 0
                ? nil : Timestamp(wholeSeconds: metadata.lastUploadAttemptSeconds),
            isUploaded: metadata.isUploaded, isUploadRequested: metadata.isUploadRequested,
            serverID: metadata.serverID,
            sizeBytes: found.sizeBytes.addingClamped(
                hasAttachments ? attachmentsSizeBytes(of: uuid) : 0),
            minidumpStamp: found.stamp, isLocked: isLocked,
            metadataProblem: problem(with: stored, of: uuid, in: directory))
    }

    private func problem(
        with name: String, among names: Set<String>, in directory: Directory
    ) -> ReportProblem? {
        var path: String { directory.path(of: name) }
        if name.hasSuffix(".dmp"), Epitaph.ID(fileStem: name.dropLast(4)) == nil {
            return ReportProblem(
                path: path, sentence: "\(path): a report's name is <uuid>.dmp in lower case")
        }
        if name.hasSuffix(".meta"), !names.contains(name.dropLast(5) + ".dmp"),
            !names.contains(name.dropLast(5) + ".lock")
        {
            return ReportProblem(path: path, sentence: "\(path): metadata without a report")
        }
        return nil
    }
}

/// Names in a directory of reports and in that of attachments.
struct NamesBeside {
    let reports: Set<String>
    let attachments: Set<String>
}
