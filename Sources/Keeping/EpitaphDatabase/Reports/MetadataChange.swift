// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A change of a report's metadata by the holder of its lock.
struct MetadataChange {
    let uuid: Epitaph.ID
    let edit: (inout ReportMetadata) -> Void
}

extension ReportDatabase {
    /// Edits the metadata of reports whose locks the caller holds, and moves the reports to
    /// `target`, with one sync for each step of all. The new metadata is in place before the
    /// minidump follows; `settleInterruptedMove` repairs an interruption.
    ///
    /// - Returns: in order, why a report is not changed.
    func change(
        _ changes: [MetadataChange], from source: ReportState, to target: ReportState
    ) -> [DatabaseError?] {
        var steps = changes.map { ChangeSteps($0, in: self, from: source, to: target) }
        var parts: [GroupSync.Part] = []
        for index in steps.indices { parts.append(steps[index].write()) }
        for (index, failure) in GroupSync(root: root).synchronize(parts).enumerated() {
            if let failure { steps[index].fail(failure) }
        }
        let (from, to) = (directory(of: source), directory(of: target))
        for index in steps.indices { steps[index].placeMetadata() }
        synchronize(to, for: &steps)
        guard source != target else { return steps.map(\.failure) }
        for index in steps.indices { steps[index].moveMinidump() }
        synchronize(to, for: &steps)
        for index in steps.indices { steps[index].removeOldMetadata() }
        synchronize(from, for: &steps)
        for step in steps { step.targetLock?.release() }
        return steps.map(\.failure)
    }

    private func synchronize(_ directory: Directory, for steps: inout [ChangeSteps]) {
        guard steps.contains(where: { $0.failure == nil }) else { return }
        do throws(SystemError) {
            try directory.synchronize()
        } catch {
            for index in steps.indices { steps[index].fail(error) }
        }
    }
}

private struct ChangeSteps {
    private let change: MetadataChange
    private let database: ReportDatabase
    private let source: ReportState
    private let target: ReportState
    private(set) var targetLock: ReportLock?
    private var isPlaced = false
    private(set) var failure: DatabaseError?

    private var uuid: Epitaph.ID { change.uuid }
    private var from: Directory { database.directory(of: source) }
    private var to: Directory { database.directory(of: target) }

    init(
        _ change: MetadataChange, in database: ReportDatabase, from source: ReportState,
        to target: ReportState
    ) {
        self.change = change
        self.database = database
        self.source = source
        self.target = target
    }

    mutating func fail(_ error: SystemError) {
        guard failure == nil else { return }
        failure = .system(error)
        if !isPlaced { _ = try? database.newReports.remove(uuid.metadataName) }
    }

    /// Writes the new metadata beside its final file. Returns what must be synced.
    mutating func write() -> GroupSync.Part {
        do throws(DatabaseError) {
            return try written()
        } catch {
            failure = error
            return GroupSync.Part()
        }
    }

    private mutating func written() throws(DatabaseError) -> GroupSync.Part {
        if source != target {
            targetLock = try ReportLock.acquire(uuid, in: to, at: database.clock.now())
        }
        let (uuid, from) = (uuid, from)
        let found = try attempt(from.status(of: uuid.minidumpName))
        guard found != nil, var metadata = try database.metadataToChange(of: uuid, in: from)
        else { throw .notFound(uuid.fileStem) }
        change.edit(&metadata)
        // For reports filed by other programs, or before this field existed.
        if metadata.crashMicroseconds == nil {
            metadata.crashMicroseconds =
                database.crashTime(inMinidumpOf: uuid, in: from)?.wholeMicroseconds
        }
        return GroupSync.Part(files: [try database.writeBeside(metadata, of: uuid)])
    }

    mutating func placeMetadata() {
        let name = uuid.metadataName
        rename(name, from: database.newReports)
        isPlaced = failure == nil
    }

    mutating func moveMinidump() {
        rename(uuid.minidumpName, from: from)
    }

    private mutating func rename(_ name: String, from directory: Directory) {
        guard failure == nil else { return }
        do throws(SystemError) {
            try directory.rename(name, to: to, as: name)
        } catch {
            fail(error)
        }
    }

    mutating func removeOldMetadata() {
        guard failure == nil else { return }
        do throws(SystemError) {
            try from.remove(uuid.metadataName)
        } catch {
            fail(error)
        }
    }
}
