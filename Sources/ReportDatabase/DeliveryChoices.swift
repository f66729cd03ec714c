// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What people decide about single reports.
extension ReportDatabase {
    /// Decides how a report goes that the server found too large: `.leftOut` sends it without its
    /// attachments, which stay on the disk; `.sent` tries it whole once more.
    ///
    /// - Throws: `.busy` while it is being sent; `.notFound` when there is no such report.
    public func chooseAttachments(
        _ choice: DeliveryState.AttachmentChoice, of uuid: UUID
    ) throws(DatabaseError) {
        try updateDeliveryState(of: uuid) {
            $0.attachments = choice
            if choice != .offered { $0.isFinal = false }
        }
    }

    /// Keeps the user's answer for one report. A report that is not to be sent is completed, and
    /// stays on the disk.
    public func recordConsent(
        _ consent: DeliveryState.Consent, of uuid: UUID
    ) throws(DatabaseError) {
        try updateDeliveryState(of: uuid) { $0.consent = consent }
        if consent == .dontSend { try skipUpload(of: uuid) }
    }
}
