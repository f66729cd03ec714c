// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

extension OutgoingReport {
    /// Removes what must not leave the machine, from the minidump and from everything sent beside
    /// it.
    ///
    /// - Returns: what was removed from the minidump, and the names of attachments and form values
    ///   that are not sent, sorted.
    /// - Throws: if it is unclear what to remove. Then the report must not be sent.
    public mutating func scrub(
        by rules: Epitaph.ScrubbingRules
    ) throws(Epitaph.TransportError) -> (summary: Epitaph.ScrubbingSummary, removedNames: [String])
    {
        let plan = try plan(rules)
        let texts = plan.scrubbed(
            annotations: annotations.map { Annotation(name: $0.key, value: $0.value) },
            messages: messages.map { CrashMessage(source: "", text: $0) })
        let form = rules.scrubbed(
            form: Dictionary(texts.annotations.map { ($0.name, $0.value) }) { first, _ in first })
        annotations = form.values
        messages = rules.form.keeps("message") ? texts.messages.map(\.text) : []
        signature = signature.flatMap { plan.scrubbed($0, by: rules) }
        breadcrumbs = rules.form.keeps("breadcrumbs") ? plan.scrubbed(breadcrumbs) : []
        var removed = form.removedKeys
        attachments.removeAll { attachment in
            guard !rules.form.keeps(attachment.name) else { return false }
            removed.append(attachment.name)
            return true
        }
        // A form always has a client id; if that must not leave, all installations use the same.
        if rules.form.denies("guid") { clientID = Self.noClientID }
        if !rules.keepsMinidump { minidump = .reader(ScrubbedMinidump(plan, of: minidump)) }
        return (plan.summary, removed.sorted())
    }

    private static let noClientID = Epitaph.ID.none

    private func plan(_ rules: ScrubbingRules) throws(TransportError) -> ScrubPlan {
        do {
            return try ScrubPlan(minidump: try minidump.contents(), rules: rules)
        } catch let error as ScrubbingError {
            throw .bodyUnreadable(
                reason: "it is not known what to take out of its minidump: \(error)")
        } catch {
            throw .bodyUnreadable(reason: "\(error)")
        }
    }
}

extension ScrubPlan {
    /// Nil if it may not be sent: it has names of the stack, and may quote a message.
    fileprivate func scrubbed(
        _ signature: KeptSignature, by rules: ScrubbingRules
    ) -> KeptSignature? {
        guard rules.form.keeps("message"), !rules.removedParts.contains(.keptStacks),
            let quoted = scrubbed(
                annotations: [], messages: [CrashMessage(source: "", text: signature.text)]
            ).messages.first
        else { return nil }
        var scrubbed = signature
        scrubbed.text = quoted.text
        return scrubbed
    }
}

extension UploadCallbacks {
    package mutating func scrub(by rules: ScrubbingRules) {
        guard rules != ScrubbingRules() else { return }
        let earlier = transform
        transform = { report throws(TransportError) in
            try earlier(&report)
            _ = try report.scrub(by: rules)
        }
    }
}
