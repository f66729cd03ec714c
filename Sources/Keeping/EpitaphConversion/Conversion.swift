// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphValues

/// One attempt to convert a dump that this process has locked with flock(2).
struct Conversion {
    let sweep: DumpSweep
    let directory: Directory
    let candidate: Candidate
    /// Open and locked until the attempt is over.
    let file: FileDescriptor
    let clientID: Epitaph.ID?
    let attachments: SweepAttachments
    let attachmentLimitBytes: Int
    let breadcrumbs: SweptBreadcrumbs
    /// The kind of report, if the dump could not know it.
    var kind: ReportKind?

    private enum Failure: Error {
        /// The dump's fault: the attempt counts.
        case dump(String)
        /// The same, and a retry would find no more.
        case lost(String)
        /// The machine's fault: the attempt does not count.
        case machine(String)
        /// Another process is working on the same report.
        case busy
        case alreadyFiled
    }

    enum Step {
        /// Nothing more to do. Nil if the file vanished because another process cleaned up.
        case settled(DumpOutcome?)
        /// The report is written and will be filed later; `finish` then returns the dump's outcome.
        case written(WrittenDump)
    }

    func begin() -> Step {
        let attempt = candidate.name.attempts + 1
        do throws(SystemError) {
            if let outcome = try outcomeWithoutAttempt(attempt) { return .settled(outcome) }
            let claimedName = candidate.name.name(in: .converting(attempt: attempt))
            try directory.rename(candidate.fileName, to: directory, as: claimedName)
            do throws(Failure) {
                return .written(try writeReport(attempt: attempt, claimedName))
            } catch {
                return .settled(try outcome(of: error, attempt: attempt, claimedName))
            }
        } catch {
            guard !error.isNotFound || (try? directory.status(of: candidate.fileName)) != .some(nil)
            else { return .settled(nil) }
            return .settled(.failed(sentence: error.description))
        }
    }

    /// The outcome for a dump that need not or must not be tried; nil if it should be tried.
    private func outcomeWithoutAttempt(_ attempt: Int) throws(SystemError) -> DumpOutcome? {
        let name = candidate.name
        let path = directory.path(of: name.stem)
        if try isFiled() {
            try directory.remove(candidate.fileName)
            return .converted(reportID: name.uuid)
        }
        guard attempt <= DumpSweep.attemptLimit else {
            return try quarantine(
                candidate.fileName,
                because: "\(path): \(name.attempts) attempts to convert it ended without a result")
        }
        let sizeBytes = try file.fileStatus().sizeBytes
        if name.stage != .locked, sizeBytes == 0 {
            // The handler seals no file without a first record, so a retry would find no more.
            return try quarantine(
                candidate.fileName,
                because: "\(path): the file is empty: the power failed before its bytes were on "
                    + "disk, or the disk was full")
        }
        if sizeBytes > DumpSweep.mostDumpBytes {
            return try quarantine(candidate.fileName, because: "\(path): \(DumpSweep.tooLarge)")
        }
        return nil
    }

    private func outcome(
        of failure: Failure, attempt: Int, _ claimedName: String
    ) throws(SystemError) -> DumpOutcome {
        let path = directory.path(of: candidate.name.stem)
        switch failure {
        case .busy:
            giveBack(claimedName)
            return .busy
        case .alreadyFiled:
            try directory.remove(claimedName)
            return .converted(reportID: candidate.name.uuid)
        case .machine(let sentence):
            giveBack(claimedName)
            return .failed(sentence: "\(path): not converted: \(sentence)")
        case .dump(let sentence):
            let whole =
                "\(path): attempt \(attempt) of \(DumpSweep.attemptLimit) failed: \(sentence)"
            return attempt < DumpSweep.attemptLimit
                ? .failed(sentence: whole) : try quarantine(claimedName, because: whole)
        case .lost(let sentence):
            return try quarantine(claimedName, because: "\(path): \(sentence)")
        }
    }

    /// The outcome after filing; `failure` says why the report is not filed.
    func finish(_ written: WrittenDump, _ failure: DatabaseError?) -> DumpOutcome {
        defer { file.unlock() }
        switch failure {
        case nil:
            if let signature = written.signature {
                SignatureCache(sweep.database).store(signature, of: candidate.name.uuid)
            }
        // Another process filed it meanwhile, which is as good.
        case .alreadyFiled: break
        case .busy:
            giveBack(written.fileName)
            return .busy
        case .some(let error):
            giveBack(written.fileName)
            let path = directory.path(of: candidate.name.stem)
            return .failed(sentence: "\(path): not converted: \(error)")
        }
        // The report is safe. A dump that cannot be removed is recognised by its id next time.
        do throws(SystemError) {
            try directory.remove(written.fileName)
        } catch {
            return .failed(sentence: error.description)
        }
        return .converted(reportID: candidate.name.uuid)
    }

    private func isFiled() throws(SystemError) -> Bool {
        do throws(DatabaseError) {
            return try sweep.database.isFiled(candidate.name.uuid)
        } catch {
            guard case .system(let error) = error else { return false }
            throw error
        }
    }

    private func writeReport(
        attempt: Int, _ claimedName: String
    ) throws(Failure) -> WrittenDump {
        let fileBytes = try rethrowing(FileBytes.contents(of: file)) { (error: SystemError) in
            Failure.dump(error.description)
        }
        // The handler's first store is the first byte: docs/decisions/writing-the-dump.md.
        if fileBytes.byte(at: 0) == 0, fileBytes.readProblem == nil {
            throw .lost(
                "it begins with zeros, as a file whose bytes were not on disk yet when the power "
                    + "failed")
        }
        let bytes =
            kind.map { IntermediateDump.replacingKind(of: fileBytes, with: $0) } ?? fileBytes
        let report: NewReport
        do throws(DatabaseError) {
            report = try sweep.database.prepareReport(candidate.name.uuid)
        } catch {
            switch error {
            case .alreadyFiled: throw .alreadyFiled
            case .busy: throw .busy
            default: throw .machine(error.description)
            }
        }
        let dump = ReadDump(bytes)
        let converter = sweep.converter.adding(
            breadcrumbs.of(dump.contents.launch, bundleID: candidate.name.bundleID))
        var sink = report.sink
        let written = try withWritersRights {
            Result { () throws(ConversionError) in
                try converter.writeMinidump(
                    of: dump, named: candidate.name, clientID: clientID, attempt: attempt,
                    to: &sink)
            }
        }
        let signature: KeptSignature?
        do throws(ConversionError) {
            signature = try written.get()
        } catch {
            switch error {
            case .unusable(let sentence): throw .dump(sentence)
            case .system(let error): throw .machine(error.description)
            }
        }
        // Unreadable bytes are zeros, which the process never wrote.
        if let problem = fileBytes.readProblem {
            throw .dump("it was not read in full: \(problem)")
        }
        let problems = try attach(dump.attachments, to: report)
        let isAttached = attachments.attach(to: report, of: candidate.name.bundleID)
        return WrittenDump(
            conversion: self, report: report, signature: signature, fileName: claimedName,
            attachmentProblems: problems,
            launch: crashedLaunch(dump.contents, lacksAttachments: !isAttached))
    }

    /// Copies the files that the dump names. Its writer chose the paths, so they are opened with
    /// the rights of its writer. Returns sentences about files that are not attached.
    private func attach(
        _ named: [NamedFile], to report: NewReport
    ) throws(Failure) -> [String] {
        guard !named.isEmpty else { return [] }
        let files = AttachedFile.namedApart(named.map { AttachedFile($0.path, name: $0.name) })
        let opened = try withWritersRights {
            files.map { file in
                Result { () throws(AttachmentProblem) in try file.openedAsForeign() }
            }
        }
        var problems: [String] = []
        for (file, source) in zip(files, opened) {
            do throws(AttachmentProblem) {
                try report.attach(source.get(), as: file, limitBytes: attachmentLimitBytes)
            } catch {
                problems.append(error.description)
            }
        }
        return problems
    }

    /// Runs `body`, which opens files that the dump's writer named: a process with rights over
    /// other users' files uses those of the database's owner, or in its own database the dump's
    /// owner's.
    private func withWritersRights<Value>(_ body: () -> Value) throws(Failure) -> Value {
        do throws(SystemError) {
            var identity = sweep.database.owner
            if identity == nil { identity = try FileSystemIdentity(ownerOf: file) }
            guard let identity else { return body() }
            switch try identity.during(body) {
            case .success(let value): return value
            }
        } catch {
            throw .machine(error.description)
        }
    }

    /// Renames the file back so that the attempt does not count, if possible. Returns its name now.
    @discardableResult
    func giveBack(_ claimedName: String) -> String {
        let attempts = candidate.name.attempts
        let stage: DumpName.Stage = attempts == 0 ? .pending : .converting(attempt: attempts)
        let name = candidate.name.name(in: stage)
        guard name != claimedName else { return name }
        do throws(SystemError) {
            try directory.rename(claimedName, to: directory, as: name)
            return name
        } catch {
            return claimedName
        }
    }

    private func quarantine(
        _ fileName: String, because sentence: String
    ) throws(SystemError) -> DumpOutcome {
        let quarantine: Directory?
        do throws(DatabaseError) {
            quarantine = try sweep.database.openDirectory(
                DumpSweep.quarantineDirectoryName, ifMissing: .create)
        } catch {
            return .failed(sentence: "\(sentence); it cannot be put aside: \(error)")
        }
        guard let quarantine else { return .failed(sentence: sentence) }
        try directory.move(fileName, to: quarantine, as: candidate.name.stem)
        try quarantine.synchronize()
        return .quarantined(path: quarantine.path(of: candidate.name.stem), sentence: sentence)
    }
}

extension AttachedFile {
    fileprivate func openedAsForeign() throws(AttachmentProblem) -> FileDescriptor {
        try checkLocks()
        return try rethrowing(ForeignFile.open(path)) { (error: SystemError) in
            AttachmentProblem.unreadable(name: path, reason: error.description)
        }
    }
}
