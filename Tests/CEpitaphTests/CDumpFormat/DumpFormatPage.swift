// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation

/// docs/dump-format.md, taken apart.
struct DumpFormatPage {
    let lines: [String]

    init() throws {
        let path = Products.packageRoot + "/docs/dump-format.md"
        lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    }

    /// The cells of all table rows below a heading, up to the next heading of its level or a higher
    /// one; without heads and rules. Backquotes are taken off.
    func rows(under heading: String) -> [[String]] {
        let level = heading.prefix { $0 == "#" }.count
        guard let start = lines.firstIndex(of: heading) else { return [] }
        let section = lines[(start + 1)...].prefix { line in
            let hashes = line.prefix { $0 == "#" }.count
            return hashes == 0 || hashes > level
        }
        let tables = section.split { !$0.hasPrefix("|") }
        return tables.flatMap { $0.dropFirst(2) }.map { row in
            row.dropFirst().dropLast().components(separatedBy: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
        }
    }
}
