// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphCores
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

/// Makes a report of a core that systemd-coredump has stored: docs/core-pipe.md.
struct StoredCoreReport {
    private let core: StoredCore
    private let settings: CoreHandlerSettings

    private static let annotation = "core_file"

    init(_ core: StoredCore, _ settings: CoreHandlerSettings) {
        self.core = core
        self.settings = settings
    }

    func make() throws(CoreHandlerError) -> (id: Epitaph.ID, sentence: String) {
        switch try core.mark() {
        case .reported(let id):
            return (id, "\(core.path) has a report already, \(id.description)")
        case .nothing: try core.set(.tried(1))
        case .tried(let count): try core.set(.tried(count + 1))
        case .refused: try core.set(.tried(1))
        }
        let databases = try UserDatabases(settings.directory)
        let owner = core.ownerID
        var snapshot = try read(as: owner)
        let program = snapshot.executablePath ?? core.name.command
        if let own = OwnReport(of: snapshot, as: owner) {
            try core.set(.refused)
            throw .refused("the program has reported this death itself, in \(own.place)")
        }
        do throws(CoreHandlerError) {
            try databases.countStored(
                CoreRate.Entry(
                    timeSeconds: Int64(core.name.time.secondsSince1970), userID: core.name.userID,
                    program: program), by: settings.rate)
        } catch {
            if case .refused = error { try core.set(.refused) }
            throw error
        }
        CoreReport.describe(&snapshot, program, time: core.name.time)
        snapshot.annotations.append(Annotation(name: Self.annotation, value: core.path))
        let database = try databases.database(of: owner)
        let id = try CoreReport.file(snapshot, in: database)
        // A report that the core does not name is better than none.
        try? core.set(.reported(id))
        let signal = snapshot.exception.map { ", signal \($0.signal)" } ?? ""
        return (
            id,
            "\(program), process \(core.name.processID) of user \(core.name.userID)\(signal): "
                + "report \(id.description) in \(database.path)"
        )
    }

    /// With the rights of the report's owner, because the process wrote what is read.
    private func read(as owner: UInt32) throws(CoreHandlerError) -> ProcessSnapshot {
        let snapshot: Result<ProcessSnapshot, CommandFailure>
        do throws(SystemError) {
            snapshot = try FileSystemIdentity(userID: owner).during {
                () throws(CommandFailure) in
                let found = try FoundBytes(reading: core.file, path: core.path)
                guard found.core != nil else {
                    throw CommandFailure(.incomplete, "\(core.path) is not a core file")
                }
                return try InputFile(found).snapshot
            }
        } catch {
            throw .system(error)
        }
        do {
            return try snapshot.get()
        } catch {
            throw .refused(error.sentence)
        }
    }
}

/// The dump or report that a process made of its own death: docs/decisions/machines.md. A core
/// names the mapped files, and Epitaph keeps its dump mapped. An earlier crash may have been
/// survived, so process and signal must match.
private struct OwnReport {
    let place: String

    init?(of core: ProcessSnapshot, as owner: UInt32) {
        let paths = core.mappings.map(\.path)
            .filter { DumpName($0.lastPathComponent)?.stage == .pending }
        let found = try? FileSystemIdentity(userID: owner).during {
            paths.compactMap { Self.find($0, like: core) }.first
        }
        guard case .success(let place?) = found else { return nil }
        self.place = place
    }

    private static func find(_ path: String, like core: ProcessSnapshot) -> String? {
        if let bytes = try? ForeignFile.contents(of: path), let dump = try? IntermediateDump(bytes)
        {
            return dump.snapshot.isOfSameDeath(as: core) ? path : nil
        }
        let database = path.parentPath.parentPath
        guard let name = DumpName(path.lastPathComponent),
            let reports = try? ReportDatabase(opening: database, ifMissing: .fail),
            let file = try? reports.openMinidump(of: name.uuid),
            let outline = try? ReportFacts.outline(
                of: file, at: path, MinidumpReader.readOutline),
            outline.isOfSameDeath(as: core)
        else { return nil }
        return name.uuid.description
    }
}

extension ProcessSnapshot {
    fileprivate func isOfSameDeath(as other: ProcessSnapshot) -> Bool {
        process.id == other.process.id && exception != nil
            && exception?.signal == other.exception?.signal
    }
}
