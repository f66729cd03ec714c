// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// Converts the dumps in `<database>/pending-dumps/`, and in a crash directory, to pending reports.
/// Several processes may sweep at once: docs/decisions/claiming-dumps.md.
package struct DumpSweep: Sendable {
    package enum Limit: Sendable, Equatable {
        case conversions(Int)
        case unlimited
    }

    package struct Options: Sendable {
        /// Its dumps go first, and its old locked files are taken after 24 hours; nil for none.
        package var ownBundleID: String?
        /// Another directory with waiting dumps, besides the database's.
        package var crashDirectory: String?
        package var limit: Limit = .conversions(20)
        /// Names or paths of locked files of this process, which are never opened: closing any
        /// descriptor of one would drop its record lock. Files open here are found through proc.
        package var ownFiles: [String] = []
        /// The only dump to convert; nil for all.
        package var onlyDump: Epitaph.ID?
        /// Called before each conversion; true leaves the rest for another pass.
        package var shouldStop: (@Sendable () -> Bool)?
        /// The largest file that a dump may name for its report.
        package var attachmentLimitBytes = AttachmentLimit.defaultBytes
        /// Adds attachments to the report of a dump of `ownBundleID` before it is filed, which a
        /// failure does not prevent. Reports of other programs, or all if this is nil, get what
        /// their programs stored as `WantedAttachments`.
        package var attach: (@Sendable (NewReport, _ bundleID: String) -> Void)?

        package init() {}
    }

    package static let pendingDirectoryName = "pending-dumps"
    package static let quarantineDirectoryName = ReportDatabase.quarantineName
    /// Files examined in one pass; limits the memory for a flooded directory.
    static let listingLimit = 100_000
    /// A dump that has failed this often goes to quarantine.
    package static let attemptLimit = 3
    /// Ours have some mebibytes, about 70 at all limits. A larger file is not ours.
    static let mostDumpBytes = 2 << 30
    static let tooLarge = "it is larger than \(mostDumpBytes >> 30) GiB, which no dump is"

    let database: ReportDatabase
    let converter: any DumpConverter
    let clock: any WallClock
    let proc: ProcFileSystem
    let outOfMemory: OutOfMemoryJudge
    let machineLogs: MachineLogs

    /// Reads nothing until `run`.
    ///
    /// - Parameters:
    ///   - clock: for the age of files.
    ///   - proc: shows whether owners run.
    package init(
        _ database: ReportDatabase, converter: any DumpConverter = MinidumpConverter(),
        clock: any WallClock = SystemWallClock(), proc: ProcFileSystem = ProcFileSystem()
    ) {
        self.init(
            database, converter: converter, clock: clock, proc: proc,
            outOfMemory: OutOfMemoryJudge(proc), machineLogs: MachineLogs())
    }

    init(
        _ database: ReportDatabase, converter: any DumpConverter, clock: any WallClock,
        proc: ProcFileSystem, outOfMemory: OutOfMemoryJudge, machineLogs: MachineLogs
    ) {
        self.database = database
        self.converter = converter
        self.clock = clock
        self.proc = proc
        self.outOfMemory = outOfMemory
        self.machineLogs = machineLogs
    }

    /// One pass over the dumps. A failure with one file is in its entry and does not affect the
    /// others.
    ///
    /// - Parameter progress: called after each file with the files done and all files of the
    ///   directory.
    /// - Throws: if a directory itself cannot be read.
    package func run(
        _ options: Options = Options(), progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(DatabaseError) -> SweepSummary {
        var summary = SweepSummary()
        // Open both first, so that a problem with one does not lose the work done in the other.
        for directory in try directories(options) {
            summary.add(try pass(over: directory, options, progress: progress))
        }
        return summary
    }

    private func directories(_ options: Options) throws(DatabaseError) -> [Directory] {
        let pending = try database.openDirectory(Self.pendingDirectoryName, ifMissing: .fail)
        guard let path = options.crashDirectory,
            let other = try database.openCrashDirectory(path)
        else { return pending.map { [$0] } ?? [] }
        guard let pending else { return [other] }
        do throws(SystemError) {
            let isTheSame = try pending.fileStatus().identity == other.fileStatus().identity
            return isTheSame ? [pending] : [pending, other]
        } catch {
            throw .system(error)
        }
    }

    private func pass(
        over directory: Directory, _ options: Options, progress: (Int, Int) -> Void
    ) throws(DatabaseError) -> SweepSummary {
        let listing = try rethrowing(
            directory.list(limit: Self.listingLimit), as: DatabaseError.system)
        // After the listing, which has no later files: files armed before are open now.
        let pass = SweepPass(
            sweep: self, options: options, directory: directory,
            ownFiles: proc.ownOpenFiles() ?? [])
        return pass.run(over: listing, progress: progress)
    }
}
