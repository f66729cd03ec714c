// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload

struct UploadCounts {
    enum Reason: String, CaseIterable {
        case uploadsDisabled = "uploads are off"
        case notDue = "not due yet"
        case destinationRefused = "the server refuses every report with this address and key"
        case refused = "refused by the server"
        case tooLarge = "too large with their attachments"
        case serverUnavailable = "the server cannot be reached"
        case serverPaused = "the server asked to wait"
        case noNetwork = "there is no network"
        case taken = "in use by another process"
        case stopped = "stopped before they were sent"
        case kept = "kept for now"
        case declined = "declined"
        case gone = "sent or removed by another process"
    }

    private(set) var sent = 0
    private(set) var failed = 0
    private(set) var reasons: [Reason: Int] = [:]
    /// The reasons whose reports are no longer pending.
    private var over: Set<Reason> = []
    var problems = 0
    /// The sentence about a destination that rejects every report.
    private var refusal: String?
    /// When a server that could not be reached is tried again, and what tries it at once.
    private(set) var pause: String?

    mutating func beginPass() {
        reasons = [:]
    }

    mutating func add(_ result: UploadResult) {
        switch result {
        case .sent, .alreadySent: sent += 1
        case .failed: failed += 1
        case .skipped(let reason):
            reasons[Reason(reason), default: 0] += 1
            if !reason.leavesPending { over.insert(Reason(reason)) }
            switch reason {
            case .destinationRefused: refusal = "\(reason)"
            case .serverUnreachable: pause = "\(reason); --now tries at once"
            default: break
            }
        }
    }

    var leftCount: Int {
        reasons.reduce(0) { $0 + (over.contains($1.key) ? 0 : $1.value) }
    }

    /// Reports that wait for a person.
    var stuck: Int {
        [Reason.destinationRefused, .refused, .tooLarge].reduce(0) { $0 + (reasons[$1] ?? 0) }
    }

    /// A sentence for each reason: how many are stuck, why, and the remedy.
    var stuckSentences: [String] {
        var sentences: [String] = []
        if let count = reasons[.destinationRefused] {
            sentences.append(
                "\(count) stuck: \(refusal ?? Reason.destinationRefused.rawValue). Correct the "
                    + "address or the key in --url; --now tries at once")
        }
        if let count = reasons[.refused] {
            sentences.append(
                "\(count) stuck: the server refused them; --request REPORT tries one again, "
                    + "--request all every one")
        }
        if let count = reasons[.tooLarge] {
            sentences.append(
                "\(count) stuck: too large with their attachments; --without-attachments sends the "
                    + "rest of them")
        }
        return sentences
    }

    func sentence(isDryRun: Bool) -> String {
        let skipped = Reason.allCases.compactMap { reason in
            reasons[reason].map { (reason: reason, words: "\($0) \(reason.rawValue)") }
        }
        guard sent + failed > 0 || !skipped.isEmpty else {
            return "no report is pending" + (problems > 0 ? ", \(problems) problems" : "")
        }
        var parts = ["\(sent) \(isDryRun ? "would be sent" : "sent")"]
        if failed > 0 { parts.append("\(failed) failed") }
        parts += skipped.filter { over.contains($0.reason) }.map(\.words)
        if leftCount > 0 { parts.append("\(leftCount) left pending") }
        let phrases = skipped.filter { !over.contains($0.reason) }.map(\.words)
        return parts.joined(separator: ", ")
            + (phrases.isEmpty ? "" : ": " + phrases.joined(separator: ", "))
    }
}

extension UploadCounts.Reason {
    init(_ reason: SkipReason) {
        self =
            switch reason {
            case .uploadsDisabled: .uploadsDisabled
            case .taken: .taken
            case .serverUnavailable, .serverUnreachable: .serverUnavailable
            case .destinationRefused: .destinationRefused
            case .stopped: .stopped
            case .refusedBefore: .refused
            case .choiceOpen: .tooLarge
            case .notDue: .notDue
            case .serverPaused: .serverPaused
            case .noNetwork: .noNetwork
            case .notNow, .kept, .unanswered: .kept
            case .declined: .declined
            case .gone: .gone
            }
    }
}
