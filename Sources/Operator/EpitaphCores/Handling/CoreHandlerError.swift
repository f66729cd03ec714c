// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

/// Why no report was made of a core.
package enum CoreHandlerError: Error, Sendable, CustomStringConvertible {
    /// A system call failed.
    case system(SystemError)
    /// The database failed.
    case database(DatabaseError)
    /// It must not be made; the text is a sentence without a full stop.
    case refused(String)

    package var description: String {
        switch self {
        case .system(let error): error.description
        case .database(let error): "\(error)"
        case .refused(let sentence): sentence
        }
    }
}
