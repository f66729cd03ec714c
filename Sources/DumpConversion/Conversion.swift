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

    /// Nil when the file vanished, which is what somebody does who cleans up.
    func run() -> DumpOutcome? {
        let name = candidate.name
        let path = directory.path(of: name.stem)
        let attempt = name.attempts + 1
        do throws(SystemError) {
            if try isFiled() {
                try directory.remove(candidate.fileName)
                return .converted(reportID: name.uuid)
            }
            guard attempt <= DumpSweep.attemptLimit else {
                return try quarantine(
                    candidate.fileName,
                    because:
                        "\(path): \(name.attempts) attempts to convert it ended without a result")
            }
            if name.stage != .locked, try file.fileStatus().sizeBytes == 0 {
                // A seal without a word before it; another attempt would find no more.
                return try quarantine(candidate.fileName, because: "\(path): the file is empty")
            }
            let claimedName = name.name(in: .converting(attempt: attempt))
            try directory.rename(candidate.fileName, to: directory, as: claimedName)
            return try convert(claimedName, attempt: attempt)
        } catch {
            guard !error.isNotFound || (try? directory.status(of: candidate.fileName)) != .some(nil)
            else { return nil }
            return .failed(sentence: error.description)
        }
    }

    private func convert(
        _ claimedName: String, attempt: Int
    ) throws(SystemError) -> DumpOutcome {
        let path = directory.path(of: candidate.name.stem)
        do throws(Failure) {
            try fileReport(attempt: attempt)
        } catch {
            switch error {
            case .busy:
                giveBack(claimedName)
                return .busy
            case .machine(let sentence):
                giveBack(claimedName)
                return .failed(sentence: "\(path): not converted: \(sentence)")
            case .dump(let sentence):
                let whole =
                    "\(path): attempt \(attempt) of \(DumpSweep.attemptLimit) failed: \(sentence)"
                guard attempt >= DumpSweep.attemptLimit else { return .failed(sentence: whole) }
                return try quarantine(claimedName, because: whole)
            }
        }
        // From here on the report is safe; a dump that cannot be removed is recognised by its id
        // next time.
        try directory.remove(claimedName)
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

    private func fileReport(attempt: Int) throws(Failure) {
        let dump: ByteSlice
        do throws(SystemError) {
            dump = try MappedFile.contents(of: file)
        } catch {
            throw .dump(error.description)
        }
        let report: NewReport
        do throws(DatabaseError) {
            report = try sweep.database.prepareReport(candidate.name.uuid)
        } catch {
            guard try isReal(error) else { return }
            throw .machine(error.description)
        }
        try write(dump, to: report, attempt: attempt)
        attach?(report, candidate.name.bundleID)
        do throws(DatabaseError) {
            try report.finish()
        } catch {
            guard try isReal(error) else { return }
            throw .machine(error.description)
        }
    }

    /// False for a report that someone else has filed meanwhile: what was wanted is there.
    private func isReal(_ error: DatabaseError) throws(Failure) -> Bool {
        switch error {
        case .alreadyFiled: return false
        case .busy: throw .busy
        default: return true
        }
    }

    private func write(
        _ dump: ByteSlice, to report: NewReport, attempt: Int
    ) throws(Failure) {
        var sink = report.sink
        let written = try withWritersRights {
            Result { () throws(ConversionError) in
                try sweep.converter.writeMinidump(
                    of: dump, reportID: candidate.name.uuid, clientID: clientID, attempt: attempt,
                    to: &sink)
            }
        }
        do throws(ConversionError) {
            try written.get()
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
    private func giveBack(_ claimedName: String) {
        let attempts = candidate.name.attempts
        let stage: DumpName.Stage = attempts == 0 ? .pending : .converting(attempt: attempts)
        _ = try? directory.rename(
            claimedName, to: directory, as: candidate.name.name(in: stage))
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
