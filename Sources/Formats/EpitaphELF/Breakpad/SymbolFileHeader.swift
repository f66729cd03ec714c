// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// google/breakpad, docs/symbol_files.md, "MODULE records" and "INFO records".
package struct SymbolFileHeader: Sendable, Equatable {
    /// Limit on a MODULE line: more than PATH_MAX.
    package static let mostBytes = 8_192

    /// `Linux`
    package let system: String
    package let architecture: String
    package let identifier: String
    package let name: String
    /// The whole build id, from `INFO CODE_ID`; nil in files of older tools.
    package let buildID: [UInt8]?

    package static func isBeginning(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: "MODULE ".utf8)
    }

    package init?(_ head: ByteSlice) {
        // By bytes: a carriage return with a line feed is one character.
        let lines = head.slice(from: 0, length: Self.mostBytes).array
            .split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(decoding: $0.last == 0x0d ? $0.dropLast() : $0, as: UTF8.self) }
        guard let first = lines.first, lines.count > 1 else { return nil }
        let words = first.split(separator: " ", maxSplits: 4)
        guard words.count == 5, words[0] == "MODULE" else { return nil }
        system = String(words[1])
        architecture = String(words[2])
        identifier = words[3].uppercased()
        name = String(words[4])
        let second = lines[1].split(separator: " ")
        buildID =
            second.count > 2 && second[0] == "INFO" && second[1] == "CODE_ID"
            ? Self.bytes(ofDigits: second[2]) : nil
    }

    private static func bytes(ofDigits digits: Substring) -> [UInt8]? {
        let values = digits.utf8.compactMap(\.digitValue)
        guard values.count == digits.utf8.count, values.count % 2 == 0 else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Whether the file is of this build. The id must not be empty; if `isCut`, it is a beginning.
    package func isOf(buildID: [UInt8], isCut: Bool) -> Bool {
        guard !buildID.isEmpty, identifier == BreakpadIdentity(buildID: buildID).debugID else {
            return false
        }
        guard let own = self.buildID else { return true }
        return isCut ? own.starts(with: buildID) : own == buildID
    }
}
