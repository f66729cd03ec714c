// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

extension Timestamp {
    /// As FileManager wants it.
    package var date: Date { Date(timeIntervalSince1970: secondsSince1970) }
}
