// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    package func skipUpload(of uuid: Epitaph.ID) throws(DatabaseError) {
        try changeLocked(uuid, from: .pending, to: .completed) { $0.isUploadRequested = false }
    }

    /// Requests an upload, also of a report given up. `.alreadyUploaded` if the server has it.
    package func requestUpload(of uuid: Epitaph.ID) throws(DatabaseError) {
        let report = try report(uuid)
        guard !report.isUploaded else { throw .alreadyUploaded(uuid) }
        try? updateDeliveryState(of: uuid) { $0.forgetRefusals() }
        try? makeDestinationsDue()
        try changeLocked(uuid, from: report.state, to: .pending) { $0.isUploadRequested = true }
    }

    func changeLocked(
        _ uuid: Epitaph.ID, from source: ReportState, to target: ReportState,
        _ edit: (inout ReportMetadata) -> Void
    ) throws(DatabaseError) {
        guard try load(uuid, source) != nil else { throw .notFound(uuid.fileStem) }
        let lock = try ReportLock.acquire(uuid, in: directory(of: source), at: clock.now())
        defer { lock.release() }
        try settleInterruptedMove(of: uuid, source)
        try change(uuid, from: source, to: target, edit)
    }

    /// For one report; the caller holds the lock.
    func change(
        _ uuid: Epitaph.ID, from source: ReportState, to target: ReportState,
        _ edit: (inout ReportMetadata) -> Void
    ) throws(DatabaseError) {
        let failure = withoutActuallyEscaping(edit) { edit in
            change([MetadataChange(uuid: uuid, edit: edit)], from: source, to: target)[0]
        }
        if let failure { throw failure }
    }

    /// Repairs an interrupted move: a report in `state` and lone metadata in the other state. The
    /// caller holds the lock in `state`.
    ///
    /// Metadata that says "uploaded" was written because the server has the report, so that move is
    /// completed; any other is the leftover of a move that can be requested again.
    ///
    /// - Throws: `.alreadyUploaded` if the move to completed was finished here.
    func settleInterruptedMove(of uuid: Epitaph.ID, _ state: ReportState) throws(DatabaseError) {
        let here = directory(of: state)
        let there = directory(of: state == .pending ? .completed : .pending)
        let isLone = try attempt { () throws(SystemError) in
            guard try there.status(of: uuid.metadataName) != nil else { return false }
            return try there.status(of: uuid.minidumpName) == nil
        }
        guard isLone else { return }
        var isUploaded = false
        switch try storedMetadata(of: uuid, in: there) {
        case .intact(let metadata): isUploaded = metadata.isUploaded
        case .missing: return
        case .broken, .laterVersion: return try keepMetadataAside(of: uuid, in: there)
        }
        try attempt { () throws(SystemError) in
            guard state == .pending, isUploaded else {
                try there.remove(uuid.metadataName)
                return
            }
            try here.rename(uuid.minidumpName, to: there, as: uuid.minidumpName)
            try there.synchronize()
            try here.remove(uuid.metadataName)
            try here.synchronize()
        }
        if state == .pending, isUploaded { throw .alreadyUploaded(uuid) }
    }

    /// Decides how to send a report that the server found too large: `.leftOut` without its
    /// attachments, which stay on disk; `.sent` with them.
    ///
    /// - Throws: `.busy` while it is being sent; `.notFound` without one.
    package func chooseAttachments(
        _ choice: DeliveryState.AttachmentChoice, of uuid: Epitaph.ID
    ) throws(DatabaseError) {
        try updateDeliveryState(of: uuid) {
            $0.attachments = choice
            if choice != .offered { $0.isFinal = false }
        }
    }

    /// Stores the user's decision. A report that is not to be sent is completed and stays on disk.
    package func recordConsent(
        _ consent: DeliveryState.Consent, of uuid: Epitaph.ID
    ) throws(DatabaseError) {
        try updateDeliveryState(of: uuid) { $0.consent = consent }
        if consent == .dontSend { try skipUpload(of: uuid) }
    }
}
