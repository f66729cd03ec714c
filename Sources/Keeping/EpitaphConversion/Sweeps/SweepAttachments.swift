// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

/// For the sweep's own program what it names now, for others what they stored.
final class SweepAttachments: Sendable {
    private let database: ReportDatabase
    private let options: DumpSweep.Options
    private let wanted = ForkSafeMutex<[String: WantedAttachments?]>([:])
    private let collected = ForkSafeMutex<[String]>([])

    var problems: [String] { collected.withLock { $0 } }

    init(_ database: ReportDatabase, _ options: DumpSweep.Options) {
        self.database = database
        self.options = options
    }

    func attach(to report: NewReport, of bundleID: String) -> Bool {
        if let attach = options.attach, bundleID == options.ownBundleID {
            attach(report, bundleID)
            return true
        }
        guard let wanted = wantedAttachments(of: bundleID) else { return false }
        // The database names the files, so they are read with the rights of its owner.
        let result = Result { () throws(DatabaseError) in
            try database.asOwner { attach(wanted, to: report) }
        }
        if case .failure(let error) = result { collected.withLock { $0.append("\(error)") } }
        return true
    }

    private func attach(_ wanted: WantedAttachments, to report: NewReport) {
        // The database's word is its owner's, who can make it any number; ours is kept, too.
        let limit = min(wanted.limitBytes, options.attachmentLimitBytes)
        for file in wanted.files where !report.hasAttachment(file.name) {
            do throws(AttachmentProblem) {
                try report.attach(file, limitBytes: limit)
            } catch {
                collected.withLock { $0.append(error.description) }
            }
        }
    }

    private func wantedAttachments(of bundleID: String) -> WantedAttachments? {
        wanted.withLock { known in
            if let found = known[bundleID] { return found }
            let found = (try? database.wantedAttachments(of: bundleID)) ?? nil
            known[bundleID] = .some(found)
            return found
        }
    }
}
