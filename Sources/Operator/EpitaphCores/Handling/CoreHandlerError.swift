// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

package enum CoreHandlerError: Error, Sendable, CustomStringConvertible {
    case system(SystemError)
    case database(DatabaseError)
    /// Policy forbids the report; the text is a sentence without a full stop.
    case refused(String)

    package var description: String {
        switch self {
        case .system(let error): error.description
        case .database(let error): "\(error)"
        case .refused(let sentence): sentence
        }
    }
}
