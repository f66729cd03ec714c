// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase

extension UploadPass {
    /// Nil if it may be sent. Asks the program, and the user once.
    mutating func reasonNotToSend(_ report: PendingReport) -> SkipReason? {
        if let reason = reasonInItsState(report) ?? reasonInItsConsent(report) { return reason }
        guard end == nil else { return nil }
        guard uploader.callbacks.delegate?.shouldProcess(report) ?? true else { return .kept }
        return nil
    }

    /// Whether a report may be sent without asking the user.
    func mayGoUnasked(_ report: PendingReport) -> Bool {
        guard report.state.acceptedServerID == nil, reasonInItsState(report) == nil else {
            return false
        }
        if report.isExplicitlyRequested { return true }
        guard report.state.consent != .dontSend else { return false }
        return settings.uploadsEnabled || report.state.consent == .send
    }

    private func reasonInItsState(_ report: PendingReport) -> SkipReason? {
        let state = report.state
        // It only has to be filed, which needs no consent.
        guard state.acceptedServerID == nil else { return nil }
        // A request is cleared once it has had its try, so this one is newer than the refusal.
        if state.isFinal, !report.isExplicitlyRequested {
            return state.attachments == .offered
                ? .choiceOpen : .refusedBefore(words: state.lastOutcome?.words ?? "")
        }
        guard !uploader.rules.ignoresSchedule else { return nil }
        let now = uploader.clock.now()
        let due = dueTime(of: report, now: now)
        return due > now ? .notDue(due) : nil
    }

    private mutating func reasonInItsConsent(_ report: PendingReport) -> SkipReason? {
        if report.state.consent == .dontSend, !report.isExplicitlyRequested { return .declined }
        guard !settings.uploadsEnabled, !report.isExplicitlyRequested,
            report.state.consent != .send, report.state.acceptedServerID == nil
        else { return nil }
        guard let ask = uploader.callbacks.confirmation else { return .uploadsDisabled }
        // The user is not asked about a report that cannot be sent now anyway.
        if let end { return end }
        switch ask(report) {
        case .send: record(.send, of: report)
        case .later: return .unanswered
        case .dontSend:
            record(.dontSend, of: report)
            return .declined
        case .always:
            settings.uploadsEnabled = true
            do throws(DatabaseError) {
                try uploader.queue.enableUploads()
            } catch {
                note(error, of: report)
            }
        }
        return nil
    }

    private mutating func record(_ consent: DeliveryState.Consent, of report: PendingReport) {
        do throws(DatabaseError) {
            try uploader.queue.record(consent, of: report)
        } catch {
            note(error, of: report)
        }
    }
}
