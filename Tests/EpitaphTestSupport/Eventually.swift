// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

/// Asks again and again until `condition` holds or the deadline has passed.
///
/// - Returns: whether it came to hold.
package func eventually(withinSeconds seconds: Double = 20, _ condition: () throws -> Bool) rethrows
    -> Bool
{
    let deadline = Timestamp.now.adding(seconds: seconds * patience)
    while try !condition() {
        guard Timestamp.now < deadline else { return false }
        usleep(1_000)
    }
    return true
}
