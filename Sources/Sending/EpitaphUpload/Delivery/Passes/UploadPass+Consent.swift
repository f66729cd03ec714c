// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase

extension UploadPass {
    /// Nil if it may be sent. Asks the program, and the user once.
    mutating func reasonNotToSend(_ report: PendingReport) -> SkipReason? {
        // It only has to be filed, which needs no consent.
        guard report.state.acceptedServerID == nil else { return nil }
        if let reason = reasonInItsState(report) { return reason }
        guard needsAnswer(report) else { return end ?? reasonOfProgram(report) }
        guard let ask = uploader.callbacks.confirmation else { return .uploadsDisabled }
        // The user is not asked about a report that cannot be sent now anyway.
        if let reason = end ?? reasonOfProgram(report) { return reason }
        if answers[report.uuid] == nil { self.ask(ask, report) }
        switch answers[report.uuid] {
        case .send, .always: return nil
        case .dontSend, .keep: return .declined
        case .later, nil: return .unanswered
        }
    }

    /// Whether a report may be sent without asking the user.
    func mayGoUnasked(_ report: PendingReport) -> Bool {
        guard report.state.acceptedServerID == nil, reasonInItsState(report) == nil,
            isWanted[report.uuid] != false
        else { return false }
        if report.isExplicitlyRequested { return true }
        return settings.uploadsEnabled || report.state.consent == .send
            || answers[report.uuid] == .send
    }

    private func needsAnswer(_ report: PendingReport) -> Bool {
        !settings.uploadsEnabled && !report.isExplicitlyRequested && report.state.consent != .send
    }

    private func reasonInItsState(_ report: PendingReport) -> SkipReason? {
        let state = report.state
        if state.consent == .dontSend, !report.isExplicitlyRequested { return .declined }
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

    /// Once in a pass. Removes reports that the program refuses, unless they are requested.
    mutating func reasonOfProgram(_ report: PendingReport) -> SkipReason? {
        guard let delegate = uploader.callbacks.delegate else { return nil }
        let unwanted: SkipReason = report.isExplicitlyRequested ? .kept : .declined
        if let isWanted = isWanted[report.uuid] { return isWanted ? nil : unwanted }
        let isWanted = delegate.shouldProcess(report)
        self.isWanted[report.uuid] = isWanted
        guard !isWanted else { return nil }
        if unwanted == .declined { record(.dontSend, of: report) }
        return unwanted
    }

    private mutating func ask(_ confirmation: UploadConfirmation, _ report: PendingReport) {
        let others = fresh.filter {
            $0.state.acceptedServerID == nil && reasonInItsState($0) == nil && needsAnswer($0)
        }
        let reports = [report] + others.filter { reasonOfProgram($0) == nil }
        let answer = confirmation(reports)
        if answer == .always { settings.uploadsEnabled = true }
        for report in reports { answers[report.uuid] = answer }
        for report in answer == .always ? [report] : reports { record(answer, of: report) }
    }

    private mutating func record(_ answer: ConfirmationAnswer, of report: PendingReport) {
        note(problem(of: try uploader.queue.record(answer, of: report)), of: report)
    }
}
