// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Mozilla's soft errors: a JSON array without a fixed shape; ours has objects with `stage`,
/// `subject`, `reason` and, after a failed system call, `errno`.
enum SoftErrorsStream {
    private struct Entry: Codable {
        var stage: String
        var subject: String
        var reason: String
        var errno: Int32?
    }

    private static let entryLimit = 1_000
    private static let textLimit = 500
    private static let readByteLimit = 1 << 20

    static func record(of damage: [Damage]) -> ByteBuilder {
        var entries = damage.prefix(entryLimit).map { damage in
            Entry(
                stage: damage.stage.rawValue, subject: String(damage.subject.prefix(textLimit)),
                reason: String(damage.reason.prefix(textLimit)), errno: damage.errorNumber)
        }
        if damage.count > entryLimit {
            entries.append(
                Entry(
                    stage: Damage.Stage.writing.rawValue, subject: "damage",
                    reason: "\(damage.count - entryLimit) more entries are not listed"))
        }
        var record = ByteBuilder()
        // Strings and integers always encode.
        record.append((try? JSONText.encode(entries)) ?? Array("[]".utf8))
        return record
    }

    static func read(
        _ stream: ByteSlice, from _: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) {
        guard stream.count <= readByteLimit else {
            return note("\(stream.count) bytes of errors are not shown", in: &snapshot)
        }
        if let entries = try? JSONText.decode([Entry].self, from: stream.array) {
            snapshot.damage += entries.map { entry in
                Damage(
                    stage: Damage.Stage(rawValue: entry.stage) ?? .capture, subject: entry.subject,
                    reason: entry.reason, errorNumber: entry.errno)
            }
        } else {
            // Another program's: its text in one line.
            let words = stream.text.split { $0.isWhitespace }.joined(separator: " ")
            if !words.isEmpty { note(words, in: &snapshot) }
        }
    }

    private static func note(_ reason: String, in snapshot: inout ProcessSnapshot) {
        snapshot.damage.append(
            Damage(stage: .capture, subject: "notes of the minidump's writer", reason: reason))
    }
}
