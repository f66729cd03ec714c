// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// How a table keeps annotations.
package enum AnnotationForm: Sendable, Equatable {
    /// `Map(String, String)`, where the engine has it.
    case map
    /// Two arrays of equal length, `annotations.name` and `annotations.value`.
    case arrays
}

extension CrashRecord {
    /// The columns that a record has, in the order of the table of docs/fleet.md.
    package enum Column: String, Sendable, CaseIterable {
        case id, time, microseconds, host, program, version
        case buildID = "build_id"
        case signature
        case signatureID = "signature_id"
        case kind, signal, function, frames, annotations
    }

    /// The record as one JSON object on one line, as ClickHouse's JSONEachRow reads it, without a
    /// line break at the end.
    ///
    /// - Parameters:
    ///   - form: how the table keeps annotations.
    ///   - columns: those that the table has; others are left out.
    package func json(
        _ form: AnnotationForm = .map, columns: Set<Column> = Set(Column.allCases)
    ) -> String {
        var members: [String: Member] = [:]
        for column in columns {
            switch column {
            case .annotations where form == .arrays:
                let sorted = annotations.sorted { $0.key < $1.key }
                members["annotations.name"] = .texts(sorted.map(\.key))
                members["annotations.value"] = .texts(sorted.map(\.value))
            default: members[column.rawValue] = member(column)
            }
        }
        // Only texts and numbers, so encoding cannot fail.
        return String(decoding: (try? JSONText.encode(members)) ?? [], as: UTF8.self)
    }

    /// Reads what `json` wrote with `.map` and all columns; nil for anything else.
    package init?(json: [UInt8]) {
        guard
            let members = try? JSONText.decode([String: Member].self, from: json),
            case .text(let id)? = members[Column.id.rawValue], let id = Epitaph.ID(id),
            case .text(let time)? = members[Column.time.rawValue],
            case .number(let microseconds)? = members[Column.microseconds.rawValue],
            let seconds = UTCTime.date(parsing: time, now: Timestamp(secondsSince1970: 0)),
            case .texts(let frames)? = members[Column.frames.rawValue],
            case .map(let annotations)? = members[Column.annotations.rawValue]
        else { return nil }
        func text(_ column: Column) -> String {
            guard case .text(let text)? = members[column.rawValue] else { return "" }
            return text
        }
        self.init(
            id: id, time: seconds.adding(seconds: Double(microseconds) / 1_000_000),
            host: text(.host), program: text(.program), version: text(.version),
            buildID: text(.buildID), signature: text(.signature), signatureID: text(.signatureID),
            kind: text(.kind), signal: text(.signal), function: text(.function), frames: frames,
            annotations: annotations)
    }

    private func member(_ column: Column) -> Member {
        switch column {
        case .id: .text(id.description)
        case .time: .text(Self.text(seconds))
        case .microseconds: .number(microseconds)
        case .host: .text(host)
        case .program: .text(program)
        case .version: .text(version)
        case .buildID: .text(buildID)
        case .signature: .text(signature)
        case .signatureID: .text(signatureID)
        case .kind: .text(kind)
        case .signal: .text(signal)
        case .function: .text(function)
        case .frames: .texts(frames)
        case .annotations: .map(annotations)
        }
    }

    /// Since 1970, in microseconds; ClickHouse's DateTime has the seconds of 32 bits, and a time of
    /// a damaged report may be any.
    private var ticks: UInt64 {
        let ticks = (time.secondsSince1970 * 1_000_000).rounded()
        return UInt64(min(max(ticks, 0), Double(UInt32.max) * 1_000_000))
    }

    private var seconds: UInt64 { ticks / 1_000_000 }
    private var microseconds: UInt32 { UInt32(ticks % 1_000_000) }

    /// `2026-08-22 03:14:05`
    private static func text(_ seconds: UInt64) -> String {
        let stamp = UTCTime.timestamp(Timestamp(secondsSince1970: Double(seconds)))
        return String(stamp.dropLast().map { $0 == "T" ? " " : $0 })
    }

    /// A member of a row.
    private enum Member: Codable {
        case text(String)
        case number(UInt32)
        case texts([String])
        case map([String: String])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let number = try? value.decode(UInt32.self) {
                self = .number(number)
            } else if let texts = try? value.decode([String].self) {
                self = .texts(texts)
            } else {
                self = .map(try value.decode([String: String].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .texts(let texts): try container.encode(texts)
            case .map(let map): try container.encode(map)
            }
        }
    }
}
