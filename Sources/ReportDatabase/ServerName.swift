// SPDX-License-Identifier: Apache-2.0

import Bytes

extension Report {
    /// What a server calls a report, as it is kept and shown: one line of at most 256 characters.
    /// A server may send anything, whole pages and what drives a terminal; control and format
    /// characters become spaces.
    public static func plainServerID(_ text: String) -> String {
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(256)))
        let line = start.printable { _ in " " }
        return String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
