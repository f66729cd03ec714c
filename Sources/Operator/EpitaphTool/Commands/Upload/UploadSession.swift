// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues
import Synchronization

protocol UploadNews: AnyObject {
    var progress: ProgressBar { get }
    /// Whether the last pass found a report that another process holds, perhaps briefly.
    var foundTaken: Bool { get }

    func beginPass()
    func announce(_ report: PendingReport, _ result: UploadResult)
    func announce(_ problem: AttachmentProblem, of report: Epitaph.ID)
    func announce(_ summary: UploadSummary)
    func announce(_ error: DatabaseError)
    func flush()
}

struct UploadSession {
    /// New settings, requests and due times change nothing in the watched directory.
    private static let longestWaitSeconds = 60.0
    /// Another process holds a report, for example while filing it.
    private static let takenWaitSeconds = 1.0

    private let database: ReportDatabase
    private let reporting: any UploadNews
    private let stop: StopSignal
    private let leavesOutAttachments: Bool
    private let choice: AttachmentChoice
    private var uploader: ReportUploader<ChosenQueue>

    init(
        _ setup: UploadSetup, _ database: ReportDatabase, _ reporting: any UploadNews,
        _ stop: StopSignal
    ) throws {
        self.database = database
        self.reporting = reporting
        self.stop = stop
        leavesOutAttachments = setup.leavesOutAttachments
        var options = setup.transport
        options.shouldStop = { stop.isStopped }
        var callbacks = UploadCallbacks()
        choice = AttachmentChoice(leavesOut: setup.leavesOutAttachments)
        callbacks.delegate = choice
        callbacks.scrub(by: setup.scrubbing)
        uploader = ReportUploader(
            queue: ChosenQueue(database, setup, reporting.progress),
            destination: setup.destination, transport: try CurlTransport(options),
            rules: setup.rules, callbacks: callbacks, clock: SystemStoppableClock(stopSignal: stop),
            network: RouteTableWatch(usesProxy: options.mayUseProxy))
    }

    mutating func pass() throws(DatabaseError) {
        reporting.beginPass()
        database.settleLeftovers()
        try decideAboutAttachments()
        let reporting = reporting
        let summary = try reporting.progress.during("sending reports") {
            () throws(DatabaseError) in
            try uploader.uploadPending(report: { reporting.announce($0, $1) })
        }
        for (report, problem) in choice.takeProblems() { reporting.announce(problem, of: report) }
        reporting.announce(summary)
    }

    /// Sends reports until stopped. Prints database problems, which may be temporary.
    mutating func watch(until shouldEnd: () -> Bool = { false }) {
        var options = DirectoryWatch.Options()
        options.isInteresting = { $0.hasSuffix(".dmp") }
        let pending = watch(options)
        while !stop.isStopped, !shouldEnd() {
            do {
                try pass()
            } catch {
                reporting.announce(error)
            }
            reporting.flush()
            _ = pending.wait(
                seconds: reporting.foundTaken ? Self.takenWaitSeconds : Self.longestWaitSeconds)
        }
    }

    /// By descriptor, because the database may be renamed meanwhile.
    private func watch(_ options: DirectoryWatch.Options) -> DirectoryWatch {
        let name = ReportState.pending.rawValue
        if let open = try? database.openDirectory(name, ifMissing: .fail) {
            return DirectoryWatch(of: open, stopSignal: stop, options: options)
        }
        return DirectoryWatch(database.path + "/" + name, stopSignal: stop, options: options)
    }

    /// For reports that the server found too large in an earlier pass.
    private func decideAboutAttachments() throws(DatabaseError) {
        guard leavesOutAttachments else { return }
        for report in try database.reports(.pending).reports
        where try database.deliveryState(of: report.uuid).attachments == .offered {
            try? database.chooseAttachments(.leftOut, of: report.uuid)
        }
    }
}

/// Decides about too large reports, and collects attachments left out of others.
private final class AttachmentChoice: UploadDelegate {
    private let leavesOut: Bool
    private let problems = Mutex<[(Epitaph.ID, AttachmentProblem)]>([])

    init(leavesOut: Bool) {
        self.leavesOut = leavesOut
    }

    func shouldLeaveOutAttachments(_ report: PendingReport, _ sizes: ReportSizes) -> Bool? {
        leavesOut ? true : nil
    }

    func didLeaveOut(_ problem: AttachmentProblem, of report: PendingReport) {
        problems.withLock { $0.append((report.uuid, problem)) }
    }

    func takeProblems() -> [(Epitaph.ID, AttachmentProblem)] {
        problems.withLock { problems in
            defer { problems = [] }
            return problems
        }
    }
}
