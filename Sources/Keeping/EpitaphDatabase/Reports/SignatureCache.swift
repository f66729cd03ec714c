// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

package struct KeptSignature: Sendable, Equatable {
    package var text: String
    /// 16 hexadecimal digits, equal for equal signatures.
    package var identifier: String
    /// Whether all functions of the innermost frames had names.
    package var isComplete: Bool

    package init(text: String, identifier: String, isComplete: Bool) {
        self.text = text
        self.identifier = identifier
        self.isComplete = isComplete
    }
}

/// Signatures of a database's reports, cached in `signatures/<uuid>`: making one takes unwinding
/// and symbols, and the program may be replaced. Written when a report is filed, and by
/// `dump-convert list --group`.
///
/// A file has three lines: `epitaph-signature VERSION complete` (or `partial`, if functions had no
/// names), the identifier and the text. A broken one is made again.
package struct SignatureCache {
    static let directoryName = "signatures"
    /// Raise when signatures are made differently: older files are then ignored.
    private static let version = 7
    private static let byteLimit = 1 << 16

    /// Nil if it is missing and the database is read-only.
    private let directory: Directory?

    /// - Parameter ifMissing: whether to create the directory, if possible.
    package init(_ database: ReportDatabase, ifMissing: ReportDatabase.IfMissing = .create) {
        directory =
            (try? database.openDirectory(Self.directoryName, ifMissing: ifMissing))
            ?? (try? database.openDirectory(Self.directoryName, ifMissing: .fail))
    }

    package func signature(of report: Epitaph.ID) -> KeptSignature? {
        guard let file = try? directory?.openForReading(Self.name(report)),
            let bytes = try? file.readAll(limit: Self.byteLimit)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[3].isEmpty, !lines[2].isEmpty,
            lines[1].utf8.count == 16, lines[1].utf8.allSatisfy(\.isLowerHexDigit)
        else { return nil }
        let isComplete = lines[0] == Self.header(isComplete: true)
        guard isComplete || lines[0] == Self.header(isComplete: false) else { return nil }
        // Any process that can write to the directory may have chosen the text.
        return KeptSignature(
            text: String(lines[2]).printable(), identifier: String(lines[1]),
            isComplete: isComplete)
    }

    package func store(_ signature: KeptSignature, of report: Epitaph.ID) {
        guard let directory else { return }
        let text = [
            Self.header(isComplete: signature.isComplete), signature.identifier,
            signature.text.printable(), "",
        ].joined(separator: "\n")
        guard text.utf8.count < Self.byteLimit else { return }
        let partial =
            Self.name(report) + Self.partialMark
            + String(UInt32.random(in: 0 ... .max), radix: 16)
        _ = try? directory.replace(
            Self.name(report), with: Array(text.utf8), writing: partial, isSynced: false)
    }

    /// Removes signatures of removed reports, and leftovers of interrupted runs.
    package func forgetAll(except isThere: (Epitaph.ID) -> Bool) {
        guard let directory, let names = try? directory.list().names else { return }
        for name in names {
            let isWhole = !name.has(Self.partialMark)
            guard let id = Epitaph.ID(String(name.prefix(36))),
                name.hasPrefix(Self.name(id)), isWhole ? name.count == 36 : true,
                !isWhole || !isThere(id)
            else { continue }
            _ = try? directory.remove(name)
        }
    }

    private static let partialMark = ".partial-"

    private static func name(_ report: Epitaph.ID) -> String { report.description }

    private static func header(isComplete: Bool) -> String {
        "epitaph-signature \(version) \(isComplete ? "complete" : "partial")"
    }
}
