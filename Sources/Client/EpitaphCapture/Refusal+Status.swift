// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph.Refusal {
    package init(_ error: epitaph_error) {
        let kind: Kind =
            switch error.status {
            case EPITAPH_NOT_STARTED: .notStarted
            case EPITAPH_ALREADY_STARTED: .alreadyStarted
            case EPITAPH_NO_ROOM: .limitReached
            case EPITAPH_FILE_ERROR: .file
            case EPITAPH_SYSTEM_ERROR: .system
            case EPITAPH_SECURE_EXECUTION: .secureExecution
            case EPITAPH_DEBUGGER_ATTACHED: .debuggerAttached
            default: .invalidArgument
            }
        self.init(kind, error.sentence, errorNumber: error.error_number)
    }

    static func check(_ status: epitaph_status, _ error: epitaph_error) throws(Epitaph.Refusal) {
        guard status == EPITAPH_OK else { throw Epitaph.Refusal(error) }
    }
}
