// SPDX-License-Identifier: Apache-2.0

import Bytes
import CEpitaph
import EpitaphCapture
import FoundationEssentials
import HandledErrors
import IntermediateDump
import LinuxSystem
import ReportDatabase
import Snapshot

// So that a program that imports Epitaph alone can name what it hands over.
/// Reports of errors that the program dealt with; docs/handled-errors.md.
public typealias ErrorReports = HandledErrors.ErrorReports
/// How many handled errors become reports, and what they may cost.
public typealias HandledErrorOptions = HandledErrors.HandledErrorOptions
/// What becomes of a handled error.
public typealias HandledErrorOutcome = HandledErrors.HandledErrorOutcome
/// Why a handled error is not in a report.
public typealias HandledErrorFailure = HandledErrors.HandledErrorFailure
/// What is learned of a report that was asked for.
public typealias HandledErrorCompletion = HandledErrors.HandledErrorCompletion
/// An error as a report tells it.
public typealias HandledError = HandledErrors.HandledError
/// A handled error of the recent past.
public typealias RecentHandledError = HandledErrors.RecentHandledError
/// An exception of another runtime in its own words.
public typealias ExceptionModel = HandledErrors.ExceptionModel
/// A file or bytes that go with the report of one error.
public typealias ErrorAttachment = HandledErrors.ErrorAttachment

extension CrashReporter {
    /// Makes reports of errors that the program deals with, in this reporter's database:
    ///
    ///     let errors = reporter.errorReports()
    ///     …
    ///     catch { errors.trackError(error, properties: ["ledger": "7"]) }
    ///
    /// Make one, and keep it: what counts floods and bounds memory is in it. Attachments of all
    /// reports go with those of errors, too.
    public func errorReports(
        options: HandledErrorOptions = HandledErrorOptions()
    ) -> ErrorReports {
        ErrorReports(process: ReportingProcess(reporter: self), options: options)
    }
}

/// This process, as reports of handled errors see it.
private struct ReportingProcess: HandledErrorProcess {
    let reporter: CrashReporter

    var isStarted: Bool { reporter.isEnabled }

    func snapshot() throws(HandledErrorFailure) -> ProcessSnapshot {
        try capture(EPITAPH_LIVE_THREADS_SUBJECT).read()
    }

    func dumpOfAllThreads() throws(HandledErrorFailure) -> PendingSnapshot {
        let dump = try capture(EPITAPH_LIVE_THREADS_ALL)
        return PendingSnapshot(
            read: { () throws(HandledErrorFailure) in try dump.read() },
            discard: { dump.discard() })
    }

    func withDatabase(
        _ body: (ReportDatabase) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try reporter.withDatabase(body)
    }

    private func capture(
        _ threads: epitaph_live_threads
    ) throws(HandledErrorFailure) -> ErrorDump {
        // The directory below is the database's to make.
        do throws(DatabaseError) {
            try reporter.withDatabase { _ in }
        } catch {
            throw .notFiled(error.description)
        }
        // As a report that is being made: what a process that dies leaves of it is removed with
        // those. Its own name, since the report is made in the same place.
        let path = "\(reporter.databasePath)/new/\(UUID().uuidString.lowercased()).dmp"
        var error = epitaph_error()
        let status = path.withCString { path in
            var request = epitaph_live_request()
            request.size_bytes = UInt32(MemoryLayout<epitaph_live_request>.size)
            request.kind = EPITAPH_REPORT_HANDLED_ERROR
            request.threads = threads
            request.path = path
            return epitaph_live_dump_request(&request, nil, &error)
        }
        if status == EPITAPH_NOT_STARTED { throw .notStarted }
        guard status == EPITAPH_OK else { throw .notFiled(error.sentence) }
        return ErrorDump(path: path, reporter: reporter)
    }
}

/// A dump that nothing sweeps, to be read once.
private struct ErrorDump {
    let path: String
    let reporter: CrashReporter

    func read() throws(HandledErrorFailure) -> ProcessSnapshot {
        defer { discard() }
        let bytes: ByteSlice
        do throws(SystemError) {
            // Open from here on, though the file loses its name.
            bytes = try FileBytes.contents(of: path)
        } catch {
            throw .notFiled(error.description)
        }
        do throws(IntermediateDumpError) {
            var snapshot = try IntermediateDump.snapshot(from: bytes)
            snapshot.launch?.bundleID = reporter.bundleID
            snapshot.attachments += reporter.attachments.map {
                NamedFile(path: $0.path, name: $0.name)
            }
            return snapshot
        } catch {
            throw .notFiled("\(path): \(error)")
        }
    }

    func discard() {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        guard let directory = try? Directory(opening: String(path[..<end])) else { return }
        _ = try? directory.remove(String(path[end...].dropFirst()))
    }
}
