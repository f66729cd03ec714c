// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphCapture
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphValues

extension CrashReporter {
    /// Makes reports of handled errors in this reporter's database. Make one and keep it: it limits
    /// floods and memory use. Attachments of all reports are added to those of errors, too.
    ///
    /// - Parameter observer: learns of each report, on the thread that makes them; nil for none.
    package func errorReports(
        options: Epitaph.HandledErrorOptions = Epitaph.HandledErrorOptions(),
        observer: Epitaph.HandledErrorObserver? = nil
    ) -> Epitaph.ErrorReports {
        ErrorReports(
            process: ReportingProcess(reporter: self), options: options, observer: observer)
    }
}

private struct ReportingProcess: HandledErrorProcess {
    let reporter: CrashReporter

    var isStarted: Bool { Epitaph.isCaptureEnabled }

    func snapshot() throws(Refusal) -> ProcessSnapshot {
        var snapshot = try capture(EPITAPH_LIVE_THREADS_SUBJECT).read()
        // This thread is in no scope; the scope of the error was copied in the call.
        snapshot.damage.removeAll { $0.subject == Damage.scopeSubject }
        return snapshot
    }

    func scopeOfCaller() -> CallerScope? {
        ScopeCopy().map { copy in CallerScope { copy.add(to: &$0) } }
    }

    func dumpOfAllThreads() throws(Refusal) -> PendingSnapshot {
        let dump = try capture(EPITAPH_LIVE_THREADS_ALL)
        return PendingSnapshot(
            read: { () throws(Refusal) in try dump.read() },
            discard: { dump.discard() })
    }

    func file(
        _ body: (ReportDatabase) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try reporter.withDatabase(body)
        RunningUploads.shared.wake(for: reporter.databasePath)
    }

    private func capture(
        _ threads: epitaph_live_threads
    ) throws(Refusal) -> ErrorDump {
        // The database creates its own subdirectory.
        do throws(DatabaseError) {
            try reporter.withDatabase { _ in }
        } catch {
            throw .errorNotFiled(error.description)
        }
        // With unfinished reports: if this process dies now, the file is removed with them. Its
        // name is its own, because the report is made in the same directory.
        let path = "\(reporter.databasePath)/new/\(Epitaph.ID().description).dmp"
        var error = epitaph_error()
        let status = path.withCString { path in
            var request = epitaph_live_request()
            request.size_bytes = UInt32(MemoryLayout<epitaph_live_request>.size)
            request.kind = EPITAPH_REPORT_HANDLED_ERROR
            request.threads = threads
            request.path = path
            return epitaph_live_dump_request(&request, nil, &error)
        }
        if status == EPITAPH_NOT_STARTED { throw .errorReportsNotStarted }
        guard status == EPITAPH_OK else { throw .errorNotFiled(error.sentence) }
        return ErrorDump(path: path, reporter: reporter)
    }
}

private struct ErrorDump {
    let path: String
    let reporter: CrashReporter

    func read() throws(Refusal) -> ProcessSnapshot {
        defer { discard() }
        let bytes: ByteSlice
        do throws(SystemError) {
            // The descriptor stays valid after the name is removed.
            bytes = try FileBytes.contents(of: path)
        } catch {
            throw .errorNotFiled(error.description)
        }
        do throws(IntermediateDumpError) {
            var snapshot = try IntermediateDump.snapshot(from: bytes)
            snapshot.launch?.bundleID = reporter.bundleID
            snapshot.attachments += reporter.attachments.map {
                NamedFile(path: $0.path, name: $0.name)
            }
            return snapshot
        } catch {
            throw .errorNotFiled("\(path): \(error)")
        }
    }

    func discard() {
        _ = try? Directory(opening: path.parentPath).remove(path.lastPathComponent)
    }
}
