// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import LinuxSystem
import ReportDatabase

/// One attempt to make a report of a dump this process has locked with flock(2).
struct Conversion {
    let sweep: DumpSweep
    let directory: Directory
    let candidate: Candidate
    /// Open and locked until the attempt is over.
    let file: FileDescriptor
    let clientID: UUID?
    let attach: (@Sendable (NewReport, _ bundleID: String) -> Void)?

    private enum Failure: Error {
        /// The dump's fault: the attempt counts.
        case dump(String)
        /// The machine's fault: it does not.
        case machine(String)
        /// Another process works on the same report.
        case busy
    }

    enum Step {
        /// Nil when the file vanished, which is what somebody does who cleans up.
        case settled(DumpOutcome?)
        /// It is to be filed, and then `finish` says what became of it.
        case written(WrittenDump)
    }

    /// Writes the report, as far as that is possible.
    func begin() -> Step {
        let name = candidate.name
        let path = directory.path(of: name.stem)
        let attempt = name.attempts + 1
        do throws(SystemError) {
            if try isFiled() {
                try directory.remove(candidate.fileName)
                return .settled(.converted(reportID: name.uuid))
            }
            guard attempt <= DumpSweep.attemptLimit else {
                return .settled(
                    try quarantine(
                        candidate.fileName,
                        because: "\(path): \(name.attempts) attempts to convert it ended "
                            + "without a result"))
            }
            if name.stage != .locked, try file.fileStatus().sizeBytes == 0 {
                // A seal without a word before it; another attempt would find no more.
                return .settled(
                    try quarantine(candidate.fileName, because: "\(path): the file is empty"))
            }
            if try file.fileStatus().sizeBytes > DumpSweep.mostDumpBytes {
                return .settled(
                    try quarantine(
                        candidate.fileName, because: "\(path): \(DumpSweep.tooLarge)"))
            }
            let claimedName = name.name(in: .converting(attempt: attempt))
            try directory.rename(candidate.fileName, to: directory, as: claimedName)
            return try convert(claimedName, attempt: attempt)
        } catch {
            guard !error.isNotFound || (try? directory.status(of: candidate.fileName)) != .some(nil)
            else { return .settled(nil) }
            return .settled(.failed(sentence: error.description))
        }
    }

    /// What became of a written report, once it was tried to file it.
    ///
    /// - Parameter failure: why it is not filed; nil where it is, for good.
    func finish(_ written: WrittenDump, _ failure: DatabaseError?) -> DumpOutcome {
        defer { file.unlock() }
        switch failure {
        case nil:
            if let signature = written.signature {
                SignatureCache(sweep.database).store(signature, of: candidate.name.uuid)
            }
        // Someone else has filed it meanwhile: what was wanted is there.
        case .alreadyFiled: break
        case .busy:
            giveBack(written.fileName)
            return .busy
        case .some(let error):
            giveBack(written.fileName)
            let path = directory.path(of: candidate.name.stem)
            return .failed(sentence: "\(path): not converted: \(error)")
        }
        // The report is safe; a dump that cannot be removed is recognised by its id next time.
        do throws(SystemError) {
            try directory.remove(written.fileName)
        } catch {
            return .failed(sentence: error.description)
        }
        return .converted(reportID: candidate.name.uuid)
    }

    private func convert(
        _ claimedName: String, attempt: Int
    ) throws(SystemError) -> Step {
        let path = directory.path(of: candidate.name.stem)
        do throws(Failure) {
            if let (report, signature) = try writeReport(attempt: attempt) {
                return .written(
                    WrittenDump(
                        conversion: self, report: report, signature: signature,
                        fileName: claimedName))
            }
        } catch {
            switch error {
            case .busy:
                giveBack(claimedName)
                return .settled(.busy)
            case .machine(let sentence):
                giveBack(claimedName)
                return .settled(.failed(sentence: "\(path): not converted: \(sentence)"))
            case .dump(let sentence):
                let whole =
                    "\(path): attempt \(attempt) of \(DumpSweep.attemptLimit) failed: \(sentence)"
                guard attempt >= DumpSweep.attemptLimit else {
                    return .settled(.failed(sentence: whole))
                }
                return .settled(try quarantine(claimedName, because: whole))
            }
        }
        // Filed by another meanwhile.
        try directory.remove(claimedName)
        return .settled(.converted(reportID: candidate.name.uuid))
    }

    private func isFiled() throws(SystemError) -> Bool {
        do throws(DatabaseError) {
            return try sweep.database.isFiled(candidate.name.uuid)
        } catch {
            guard case .system(let error) = error else { return false }
            throw error
        }
    }

    /// Nil where another has filed it meanwhile.
    private func writeReport(
        attempt: Int
    ) throws(Failure) -> (NewReport, KeptSignature?)? {
        let dump: ByteSlice
        do throws(SystemError) {
            dump = try FileBytes.contents(of: file)
        } catch {
            throw .dump(error.description)
        }
        // A report of zeros would say what nobody wrote.
        func checkReading() throws(Failure) {
            guard let problem = dump.readProblem else { return }
            throw .dump("it was not read in full: \(problem)")
        }
        let report: NewReport
        do throws(DatabaseError) {
            report = try sweep.database.prepareReport(candidate.name.uuid)
        } catch {
            switch error {
            case .alreadyFiled: return nil
            case .busy: throw .busy
            default: throw .machine(error.description)
            }
        }
        let signature = try write(dump, to: report, attempt: attempt)
        try checkReading()
        attach?(report, candidate.name.bundleID)
        return (report, signature)
    }

    private func write(
        _ dump: ByteSlice, to report: NewReport, attempt: Int
    ) throws(Failure) -> KeptSignature? {
        var sink = report.sink
        let written = try withWritersRights {
            Result { () throws(ConversionError) in
                try sweep.converter.writeMinidump(
                    of: dump, named: candidate.name, clientID: clientID, attempt: attempt,
                    to: &sink)
            }
        }
        do throws(ConversionError) {
            return try written.get()
        } catch {
            switch error {
            case .unusable(let sentence): throw .dump(sentence)
            case .system(let error): throw .machine(error.description)
            }
        }
    }

    /// A dump names files, and whoever wrote it chose the names. So a process with rights over other
    /// users' files reads them with those of the database's owner, and in a database of its own with
    /// those of the dump's.
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

    /// Back to where it was, so that the attempt does not count. When even that fails, it counts.
    ///
    /// - Returns: what the file is called now.
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
        try directory.rename(fileName, to: quarantine, as: candidate.name.stem)
        try quarantine.synchronize()
        return .quarantined(path: quarantine.path(of: candidate.name.stem), sentence: sentence)
    }
}
