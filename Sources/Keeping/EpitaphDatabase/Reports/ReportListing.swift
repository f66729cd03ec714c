// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    /// All reports of a state; broken ones are problems. One that moves meanwhile may be missing.
    package func reports(_ state: ReportState) throws(DatabaseError) -> ReportList {
        let directory = directory(of: state)
        var list = ReportList()
        let (ids, locked) = try self.ids(in: directory, &list.problems)
        // Attachments are listed after the reports: they are in place before a report is filed.
        var attached: Set<Epitaph.ID> = []
        try? attachments.forEachName { name in
            if let id = Epitaph.ID(fileStem: name) { attached.insert(id) }
        }
        let beside = IDsBeside(
            locked: locked, directoryPath: directory.path(of: ""), attached: attached)
        list.reports.reserveCapacity(ids.count)
        for uuid in ids {
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
        list.reports.sort { $0.order < $1.order }
        list.problems.sort { $0.path < $1.path }
        return list
    }

    package func allReports() throws(DatabaseError) -> ReportList {
        var list = try reports(.pending)
        let completed = try reports(.completed)
        list.problems += completed.problems
        let moved = Set(completed.reports.map(\.uuid))
        list.reports.removeAll { moved.contains($0.uuid) }
        list.reports += completed.reports
        // It may have moved there while completed was listed.
        var others: [ReportProblem] = []
        let seen = Set(list.reports.map(\.uuid))
        for uuid in try ids(in: pending, &others).reports where !seen.contains(uuid) {
            // The problem was listed when first seen.
            if let report = (try? load(uuid, .pending)) ?? nil { list.reports.append(report) }
        }
        list.reports.sort { $0.order < $1.order }
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

    /// Whether the report is complete and safe from a power failure. A pending one without any
    /// metadata may not be; broken metadata does not matter.
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

    /// Nil if there is no minidump with that id. `beside` was listed before, so that a long list
    /// need not ask for two files of each report that hardly ever exist.
    func load(
        _ uuid: Epitaph.ID, _ state: ReportState, _ beside: IDsBeside? = nil
    ) throws(DatabaseError) -> Report? {
        let directory = directory(of: state)
        let found = try attempt { () throws(SystemError) in
            try directory.status(of: uuid.minidumpName)
        }
        guard let found else { return nil }
        guard found.kind == .regular else {
            throw .broken(
                path: directory.path(of: uuid.minidumpName),
                reason: "something else than a file is in the report's place")
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
            beside?.locked.contains(uuid)
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

    /// The names one by one: the memory is for the ids alone.
    private func ids(
        in directory: Directory, _ problems: inout [ReportProblem]
    ) throws(DatabaseError) -> (reports: Set<Epitaph.ID>, locked: Set<Epitaph.ID>) {
        var reports: Set<Epitaph.ID> = []
        var locked: Set<Epitaph.ID> = []
        var described: [Epitaph.ID] = []
        // Names without an id.
        var others: Set<String> = []
        try attempt { () throws(SystemError) in
            try directory.forEachName { name in
                guard let end = name.lastIndex(of: "."), let id = Epitaph.ID(fileStem: name[..<end])
                else {
                    others.insert(name)
                    return
                }
                switch name[end...] {
                case ".dmp": reports.insert(id)
                case ".lock": locked.insert(id)
                case ".meta": described.append(id)
                default: break
                }
            }
        }
        func complain(_ name: String, _ words: String) {
            let path = directory.path(of: name)
            problems.append(ReportProblem(path: path, sentence: "\(path): \(words)"))
        }
        for name in others where name.hasSuffix(".dmp") {
            complain(name, "a report's name is <uuid>.dmp in lower case")
        }
        var alone = described.filter { !reports.contains($0) && !locked.contains($0) }
            .map(\.metadataName)
        alone += others.filter { name in
            let stem = name.dropLast(5)
            return name.hasSuffix(".meta") && !others.contains(stem + ".dmp")
                && !others.contains(stem + ".lock")
        }
        for name in alone { complain(name, "metadata without a report") }
        return (reports, locked)
    }
}

struct IDsBeside {
    let locked: Set<Epitaph.ID>
    /// With a slash at the end.
    let directoryPath: String
    let attached: Set<Epitaph.ID>
}
