// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Asks again and again until `condition` holds or the deadline has passed.
///
/// - Returns: whether it came to hold.
package func eventually(withinSeconds seconds: Double = 20, _ condition: () throws -> Bool) rethrows
    -> Bool
{
    let deadline = Date().addingTimeInterval(seconds * patience)
    while try !condition() {
        guard Date() < deadline else { return false }
        usleep(1_000)
    }
    return true
}
