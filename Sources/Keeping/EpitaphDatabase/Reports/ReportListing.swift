// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    /// All reports of a state; broken ones are problems. One that moves meanwhile may be missing.
    package func reports(_ state: ReportState) throws(DatabaseError) -> ReportList {
        var list = try unsortedReports(state)
        list.sort()
        return list
    }

    package func allReports() throws(DatabaseError) -> ReportList {
        var list = try unsortedReports(.pending)
        let completed = try unsortedReports(.completed)
        list.problems += completed.problems
        let moved = SortedIDs(completed.reports.map(\.uuid))
        list.reports.removeAll { moved.contains($0.uuid) }
        // Not to twice its size.
        list.reports.reserveCapacity(list.reports.count + completed.reports.count)
        list.reports += completed.reports
        // It may have moved there while completed was listed.
        let seen = SortedIDs(list.reports.map(\.uuid))
        var others: [Epitaph.ID] = []
        try attempt(
            try pending.forEachName { name, _ in
                guard case .minidump(let uuid) = PieceName(name) else { return }
                if !seen.contains(uuid) { others.append(uuid) }
            })
        for uuid in SortedIDs(others).ids {
            // The problem was listed when first seen.
            if let report = (try? load(uuid, .pending)) ?? nil { list.reports.append(report) }
        }
        list.sort()
        return list
    }

    private func unsortedReports(_ state: ReportState) throws(DatabaseError) -> ReportList {
        let directory = directory(of: state)
        var list = ReportList()
        let names = try attempt(ListedNames(of: directory))
        list.problems = names.problems
        // Attachments are listed after the reports: they are in place before a report is filed.
        var attached: [Epitaph.ID] = []
        try? attachments.forEachName { name, _ in
            if let id = Epitaph.ID(fileStem: name) { attached.append(id) }
        }
        let beside = IDsBeside(
            names: names, attached: SortedIDs(attached), directoryPath: directory.path(of: ""))
        list.reports.reserveCapacity(names.minidumps.ids.count)
        for uuid in names.minidumps.ids {
            do throws(DatabaseError) {
                guard let report = try load(uuid, state, beside) else { continue }
                list.reports.append(report)
                if let sentence = report.metadataProblem {
                    list.problems.append(ReportProblem(path: report.path, sentence: sentence))
                }
            } catch {
                list.problems.append(
                    ReportProblem(
                        path: directory.path(of: uuid.minidumpName), sentence: error.description))
            }
        }
        return list
    }

    package func report(_ uuid: Epitaph.ID) throws(DatabaseError) -> Report {
        // Pending twice: it may move there while completed is checked.
        for state in [ReportState.pending, .completed, .pending] {
            if let report = try load(uuid, state) { return report }
        }
        throw .notFound(uuid.fileStem)
    }

    package func report(matching prefix: String) throws(DatabaseError) -> Report {
        if let uuid = Epitaph.ID(prefix) { return try report(uuid) }
        let wanted = prefix.lowercased()
        var matches: Set<Epitaph.ID> = []
        for state in ReportState.allCases {
            let names = try attempt(directory(of: state).list().names)
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

    /// Whether the report is complete and safe from a power failure. A pending one without any
    /// metadata may not be; broken metadata does not matter.
    package func isFiled(_ uuid: Epitaph.ID) throws(DatabaseError) -> Bool {
        for state in [ReportState.pending, .completed, .pending] {
            let directory = directory(of: state)
            let isThere = try attempt(directory.status(of: uuid.minidumpName)?.kind == .regular)
            guard isThere else { continue }
            if state == .pending, case .missing = try storedMetadata(of: uuid, in: directory) {
                continue
            }
            try attempt(directory.synchronize())
            return true
        }
        return false
    }

    /// Nil if there is no minidump with that id. `beside` was listed before, so that a long list
    /// need not ask for two files of each report that hardly ever exist.
    func load(
        _ uuid: Epitaph.ID, _ state: ReportState, _ beside: IDsBeside? = nil
    ) throws(DatabaseError) -> Report? {
        let directory = directory(of: state)
        let found = try attempt(directory.status(of: uuid.minidumpName))
        guard let found else { return nil }
        guard found.kind == .regular else {
            throw .broken(
                path: directory.path(of: uuid.minidumpName),
                reason: "something else than a file is in the report's place")
        }
        let stored = try storedMetadata(
            of: uuid, in: directory,
            isKnownAsFile: beside?.names.metadataFiles.contains(uuid) ?? false)
        if case .missing = stored {
            // It may have moved between the two checks.
            let again = try attempt(directory.status(of: uuid.minidumpName))
            guard again != nil else { return nil }
        }
        let metadata: ReportMetadata
        if case .intact(let intact) = stored {
            metadata = intact
        } else {
            metadata = try provisionalMetadata(of: uuid, in: directory, minidump: found)
        }
        let isLocked =
            beside?.names.locks.contains(uuid)
            ?? ((try? directory.status(of: uuid.lockName)) ?? nil != nil)
        let hasAttachments = beside?.attached.contains(uuid) ?? true
        let filed = Timestamp(wholeSeconds: metadata.creationSeconds)
        let crashTime =
            metadata.crashMicroseconds.map { Timestamp(wholeMicroseconds: $0) }
            ?? crashTime(inMinidumpOf: uuid, in: directory)
        return Report(
            uuid: uuid, directoryPath: beside?.directoryPath ?? directory.path(of: ""),
            creationTime: filed, crashTime: crashTime, state: state,
            isUploaded: metadata.isUploaded, isUploadRequested: metadata.isUploadRequested,
            isLocked: isLocked, uploadAttempts: Int(max(0, metadata.uploadAttempts)),
            lastUploadAttemptTime: metadata.lastUploadAttemptSeconds == 0
                ? nil : Timestamp(wholeSeconds: metadata.lastUploadAttemptSeconds),
            serverID: metadata.serverID,
            sizeBytes: found.sizeBytes.addingClamped(
                hasAttachments ? attachmentsSizeBytes(of: uuid) : 0),
            minidumpStamp: found.stamp, written: found.modificationTime,
            metadataProblem: problem(with: stored, of: uuid, in: directory))
    }
}

struct IDsBeside {
    let names: ListedNames
    let attached: SortedIDs
    /// With a slash at the end.
    let directoryPath: String
}

extension ReportList {
    fileprivate mutating func sort() {
        // Reports are large to move, and each comparison would make two orders.
        let orders = reports.enumerated().map { (order: $1.order, place: $0) }
        reports = orders.sorted { $0.order < $1.order }.map { reports[$0.place] }
        problems.sort { $0.path < $1.path }
    }
}
