// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials
import LinuxSystem
import ReportDatabase

/// The signatures of a database's reports, kept in `signatures/<uuid>` because making one takes
/// unwinding and symbols, and because the program may be replaced by a newer one meanwhile.
///
/// A file has three lines: `epitaph-signature VERSION complete` (or `partial`, when functions had
/// no names), the identifier and the text. Nothing depends on the files: one that is not as it
/// should be is made anew, and where none can be written the signature is made each time.
struct SignatureCache {
    struct Entry: Equatable {
        /// As those of `CrashSignature`.
        var text: String
        var identifier: String
        /// Whether all functions of the innermost frames had names.
        var isComplete: Bool
    }

    static let directoryName = "signatures"
    /// To be raised whenever signatures are made in another way: older files count no more then.
    private static let version = 2
    private static let byteLimit = 1 << 16

    /// Nil where there is none and none can be made: a database that can only be read.
    private let directory: Directory?

    init(_ database: ReportDatabase) {
        directory =
            (try? database.openDirectory(Self.directoryName, ifMissing: .create))
            ?? (try? database.openDirectory(Self.directoryName, ifMissing: .fail))
    }

    func entry(of report: UUID) -> Entry? {
        guard let file = try? directory?.openForReading(Self.name(report)),
            let bytes = try? file.readAll(limit: Self.byteLimit)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[3].isEmpty, !lines[2].isEmpty,
            let identifier = lines[1].wholeMatch(of: #/[0-9a-f]{16}/#)
        else { return nil }
        let isComplete = lines[0] == Self.header(isComplete: true)
        guard isComplete || lines[0] == Self.header(isComplete: false) else { return nil }
        // Whoever can write there chose the text.
        return Entry(
            text: TerminalText.line(String(lines[2])), identifier: String(identifier.output),
            isComplete: isComplete)
    }

    /// Keeps a signature if that is possible.
    func store(_ entry: Entry, of report: UUID) {
        guard let directory else { return }
        let text = [
            Self.header(isComplete: entry.isComplete), entry.identifier,
            TerminalText.line(entry.text), "",
        ].joined(separator: "\n")
        guard text.utf8.count < Self.byteLimit else { return }
        let partial =
            Self.name(report) + Self.partialMark
            + String(UInt32.random(in: 0 ... .max), radix: 16)
        do throws(SystemError) {
            var sink = FileSink(try directory.create(partial))
            try sink.append(Array(text.utf8))
            try directory.rename(partial, to: directory, as: Self.name(report))
        } catch {
            _ = try? directory.remove(partial)
        }
    }

    /// Removes what belongs to reports that are gone, and what an interrupted run left.
    func forgetAll(except isThere: (UUID) -> Bool) {
        guard let directory, let names = try? directory.list().names else { return }
        for name in names {
            let isWhole = !name.contains(Self.partialMark)
            guard let id = UUID(uuidString: String(name.prefix(36))),
                name.hasPrefix(Self.name(id)), isWhole ? name.count == 36 : true,
                !isWhole || !isThere(id)
            else { continue }
            _ = try? directory.remove(name)
        }
    }

    private static let partialMark = ".partial-"

    private static func name(_ report: UUID) -> String { report.uuidString.lowercased() }

    private static func header(isComplete: Bool) -> String {
        "epitaph-signature \(version) \(isComplete ? "complete" : "partial")"
    }
}

extension ReportDatabase {
    /// False only where it is certain that there is no such report.
    func mayHave(_ report: UUID) -> Bool {
        do {
            _ = try self.report(report)
            return true
        } catch .notFound {
            return false
        } catch {
            return true
        }
    }
}
