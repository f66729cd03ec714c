// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem

/// Sends the pending reports of a queue to one destination. It never deletes a report.
/// docs/delivery.md says in which order, how often and when. For one thread at a time.
package struct ReportUploader<Queue: UploadQueue> {
    let queue: Queue
    let destination: any ReportDestination
    let transport: any Transport
    let describe: (FileDescriptor) -> ReportContents
    let rules: DeliveryRules
    let callbacks: UploadCallbacks
    let clock: any StoppableClock
    let network: any NetworkWatch
    var random: any RandomNumberGenerator
    var rateLimit: RateLimit
    private var knowsEarlierAttempts = false
    /// Reports that the server accepted but that could not be filed at all yet.
    var unfiled: [Unfiled] = []

    struct Unfiled {
        let report: PendingReport
        let attempt: Queue.Attempt
        let serverID: String
    }

    /// - Parameters:
    ///   - describe: reads annotations, messages and breadcrumbs from an open minidump.
    ///   - clock: for times and waits; when it is stopped, no other report is tried.
    ///   - random: for form boundaries, and for waits that differ from those of other machines.
    package init(
        queue: Queue, destination: any ReportDestination, transport: any Transport,
        describe: @escaping (FileDescriptor) -> ReportContents = ReportContents.init(minidump:),
        rules: DeliveryRules, callbacks: UploadCallbacks = UploadCallbacks(),
        clock: any StoppableClock, network: any NetworkWatch = RouteTableWatch(),
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.queue = queue
        self.destination = destination
        self.transport = transport
        self.describe = describe
        self.rules = rules
        self.callbacks = callbacks
        self.clock = clock
        self.network = network
        self.random = random
        rateLimit = RateLimit(reportsPerMinute: rules.limits.reportsPerMin)
    }

    /// Sends each pending report, with its quick retries, or finds out why it is not sent. `report`
    /// is called with each result as it comes.
    ///
    /// - Throws: if the queue's settings or list cannot be read; failures of single reports are in
    ///   the summary.
    public mutating func uploadPending(
        report: (PendingReport, UploadResult) -> Void = { _, _ in }
    ) throws(DatabaseError) -> UploadSummary {
        let settings = try queue.settings()
        noteEarlierAttempts()
        fileLeftovers()
        let queued = try queue.pendingReports()
        var pass = UploadPass(self, settings: settings, reports: queued.reports)
        var summary = UploadSummary()
        while let (pending, result) = pass.next() {
            summary.reports.append(.init(uuid: pending.uuid, result: result))
            report(pending, result)
        }
        summary.problems = queued.problems + pass.problems
        summary.remarks = pass.remarks
        self = pass.uploader
        fileLeftovers()
        return summary
    }

    private mutating func noteEarlierAttempts() {
        guard !knowsEarlierAttempts, rules.limits.reportsPerMin > 0 else { return }
        knowsEarlierAttempts = true
        let (now, seconds) = (clock.now(), clock.monotonicSeconds())
        let times = queue.attemptTimes(since: now.adding(seconds: -RateLimit.windowSeconds))
        // One from the future says that a clock was set.
        for time in times.sorted() where time <= now {
            rateLimit.note(at: seconds - now.seconds(since: time))
        }
    }

    /// Files earlier successes. Their open attempts prevent others from sending them.
    private mutating func fileLeftovers() {
        let queue = queue
        unfiled.removeAll { leftover in
            switch queue.complete(leftover.attempt, serverID: leftover.serverID) {
            case .filed, .noted: true
            case .open: false
            }
        }
    }
}

extension ReportUploader where Queue == DatabaseQueue {
    package init(
        _ database: ReportDatabase, to destination: any ReportDestination,
        by transport: any Transport, rules: DeliveryRules = DeliveryRules(),
        callbacks: UploadCallbacks = UploadCallbacks(), clock: any StoppableClock,
        network: any NetworkWatch = RouteTableWatch()
    ) {
        self.init(
            queue: DatabaseQueue(database), destination: destination, transport: transport,
            rules: rules, callbacks: callbacks, clock: clock, network: network)
    }
}
