// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// Turns the dumps in `<database>/pending-dumps/`, and in a crash directory if there is one, into
/// pending reports. Any number of processes may sweep at once.
///
/// docs/decisions/claiming-dumps.md says how files are claimed, retried and given up on.
package struct DumpSweep: Sendable {
    /// How many conversions are begun in one pass.
    package enum Limit: Sendable, Equatable {
        /// At most this many conversions are begun in one pass.
        case conversions(Int)
        /// All dumps.
        case unlimited
    }

    /// What one pass does.
    package struct Options: Sendable {
        /// Whose dumps go first, and whose old locked files are taken after 24 hours; nil for
        /// none.
        package var ownBundleID: String?
        /// Path of another directory in which dumps wait, besides the one in the database.
        package var crashDirectory: String?
        /// How many conversions are begun in this pass, in each directory.
        package var limit: Limit = .conversions(20)
        /// Names or paths of locked files that belong to this process. They are never opened:
        /// closing any descriptor of such a file would drop its record lock. Files that this
        /// process has open are found through proc without being listed here.
        package var ownFiles: [String] = []
        /// The only dump to look at; nil for all.
        package var onlyDump: Epitaph.ID?
        /// Returns true if no further conversion should begin; the rest waits for another pass.
        /// Called before each conversion.
        package var shouldStop: (@Sendable () -> Bool)?
        /// The largest size, in bytes, of a file that a dump itself names for its report.
        package var attachmentLimitBytes = AttachmentLimit.defaultBytes
        /// Adds attachments to the report of a dump of `ownBundleID` before it is filed. If it
        /// cannot add something, the report is filed anyway. Reports of other programs get what
        /// their programs want attached (`WantedAttachments`), and so do all reports if this is
        /// nil.
        package var attach: (@Sendable (NewReport, _ bundleID: String) -> Void)?

        /// Every dump is looked at, and at most 20 conversions are begun.
        package init() {}
    }

    /// Inside the database: dumps, and files of running processes.
    package static let pendingDirectoryName = "pending-dumps"
    /// Inside the database: dumps that were given up on.
    package static let quarantineDirectoryName = ReportDatabase.quarantineName
    /// How many files are looked at in one pass. This limits the memory that a flooded directory
    /// takes.
    static let listingLimit = 100_000
    /// A dump that has failed this often goes to quarantine.
    package static let attemptLimit = 3
    /// In bytes. Our own dumps have some mebibytes, and about 70 with all limits reached. A larger
    /// file is not one of them, however few disk blocks it takes.
    static let mostDumpBytes = 2 << 30
    static let tooLarge = "it is larger than \(mostDumpBytes >> 30) GiB, which no dump is"

    let database: ReportDatabase
    let converter: any DumpConverter
    let clock: any WallClock
    /// Where the state of processes is read.
    let proc: ProcFileSystem
    let outOfMemory: OutOfMemoryJudge
    let machineLogs: MachineLogs

    /// A sweep of the dumps of `database`; nothing is read until `run`. `clock` gives the time for
    /// the age of files, and `proc` shows whether their owners run.
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

    /// One pass over the dumps. A failure with one file is recorded in its entry and does not
    /// affect the others.
    ///
    /// - Parameters:
    ///   - options: whose dumps are converted, and how many.
    ///   - progress: called after each file: how many are done, of how many in its directory.
    /// - Throws: if a directory itself cannot be read.
    package func run(
        _ options: Options = Options(), progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(DatabaseError) -> SweepSummary {
        var summary = SweepSummary()
        // Both are opened first, so that a problem with one does not lose the work done in the
        // other.
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
        let listing: DirectoryListing
        do throws(SystemError) {
            listing = try directory.list(limit: Self.listingLimit)
        } catch {
            throw .system(error)
        }
        // Determined after the listing: files that this process armed before are open now, and
        // files that it arms later are not in the list.
        let pass = SweepPass(
            sweep: self, options: options, directory: directory,
            ownFiles: proc.ownOpenFiles() ?? [])
        return pass.run(over: listing, progress: progress)
    }
}
