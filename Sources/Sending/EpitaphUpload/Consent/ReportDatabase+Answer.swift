// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

extension ReportDatabase {
    /// Stores the user's answer and does what it says.
    ///
    /// - Throws: `.busy` while the report is being sent; `.alreadyUploaded` if the server has it.
    package func record(
        _ answer: ConfirmationAnswer, of uuid: Epitaph.ID
    ) throws(DatabaseError) {
        switch answer {
        case .later: break
        case .always: try updateSettings { $0.uploadsEnabled = true }
        case .send: try recordConsent(.send, of: uuid)
        case .keep: try recordConsent(.dontSend, of: uuid)
        case .dontSend:
            // First: nobody sends it even if it cannot be removed.
            try recordConsent(.dontSend, of: uuid)
            try delete(uuid)
        }
    }
}
