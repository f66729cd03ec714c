// SPDX-License-Identifier: Apache-2.0

import Bytes

extension String {
    /// The text on one line and short enough for a sentence. Control characters, which could drive
    /// the terminal that shows them, become spaces.
    func oneLine(limit: Int = 300) -> String {
        let start = String(unicodeScalars.prefix(limit)).printable { _ in " " }
        return unicodeScalars.count > limit ? start + "…" : start
    }
}
