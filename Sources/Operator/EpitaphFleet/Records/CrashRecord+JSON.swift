// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

package enum AnnotationForm: Sendable, Equatable {
    /// `Map(String, String)`, if the engine has it.
    case map
    /// Two arrays of equal length, `annotations.name` and `annotations.value`.
    case arrays
}

extension CrashRecord {
    /// The columns of a record, in the order of docs/fleet.md.
    package enum Column: String, Sendable, CaseIterable {
        case id, time, microseconds, host, program, version
        case buildID = "build_id"
        case signature
        case signatureID = "signature_id"
        case kind, signal, function, frames, annotations, arrived
    }

    /// The record as a line of ClickHouse's JSONEachRow, without a line break and other columns.
    package func json(
        _ form: AnnotationForm = .map, columns: Set<Column> = Set(Column.allCases)
    ) -> String {
        var members: [String: JSONValue] = [:]
        for column in columns {
            switch column {
            case .arrived where arrived == nil: continue
            case .annotations where form == .arrays:
                let sorted = annotations.inKeyOrder
                members["annotations.name"] = .list(sorted.map { .text($0.key) })
                members["annotations.value"] = .list(sorted.map { .text($0.value) })
            default: members[column.rawValue] = value(of: column)
            }
        }
        // Only texts and whole numbers, so encoding cannot fail.
        return String(decoding: (try? JSONValue.object(members).bytes()) ?? [], as: UTF8.self)
    }

    /// Reads the output of `json` with `.map` and all columns; nil for anything else.
    package init?(json: [UInt8]) {
        guard let value = try? JSONValue(parsing: json),
            case .text(let id)? = value[Column.id.rawValue], let id = Epitaph.ID(id),
            case .text(let time)? = value[Column.time.rawValue],
            let seconds = UTCTime.date(parsing: time, now: Timestamp(secondsSince1970: 0)),
            case .integer(let number)? = value[Column.microseconds.rawValue],
            let microseconds = UInt32(exactly: number),
            case .list(let frames)? = value[Column.frames.rawValue],
            case .object(let annotations)? = value[Column.annotations.rawValue]
        else { return nil }
        self.init(id: id, time: seconds.adding(seconds: Double(microseconds) / 1_000_000))
        if case .text(let text)? = value[Column.arrived.rawValue] {
            arrived = UTCTime.date(parsing: text, now: Timestamp(secondsSince1970: 0))
        }
        for (column, path) in Self.texts {
            if case .text(let text)? = value[column.rawValue] { self[keyPath: path] = text }
        }
        for frame in frames {
            guard case .text(let name) = frame else { return nil }
            self.frames.append(name)
        }
        for (name, annotation) in annotations {
            guard case .text(let text) = annotation else { return nil }
            self.annotations[name] = text
        }
    }

    private static let texts: [Column: WritableKeyPath<CrashRecord, String> & Sendable] = [
        .host: \.host, .program: \.program, .version: \.version, .buildID: \.buildID,
        .signature: \.signature, .signatureID: \.signatureID, .kind: \.kind, .signal: \.signal,
        .function: \.function,
    ]

    private func value(of column: Column) -> JSONValue {
        switch column {
        case .id: .text(id.description)
        case .time: .text(Self.text(seconds))
        case .arrived: .text(Self.text(Self.ticks(arrived ?? time) / 1_000_000))
        case .microseconds: .integer(Int64(microseconds))
        case .frames: .list(frames.map { .text($0) })
        case .annotations: .object(annotations.mapValues { .text($0) })
        default: .text(Self.texts[column].map { self[keyPath: $0] } ?? "")
        }
    }

    /// Microseconds since 1970, clamped to ClickHouse's DateTime: seconds of 32 bits.
    private static func ticks(_ time: Timestamp) -> UInt64 {
        let ticks = (time.secondsSince1970 * 1_000_000).rounded()
        return UInt64(min(max(ticks, 0), Double(UInt32.max) * 1_000_000))
    }

    private var seconds: UInt64 { Self.ticks(time) / 1_000_000 }
    private var microseconds: UInt32 { UInt32(Self.ticks(time) % 1_000_000) }

    private static func text(_ seconds: UInt64) -> String {
        let stamp = UTCTime.timestamp(Timestamp(secondsSince1970: Double(seconds)))
        return String(stamp.dropLast().map { $0 == "T" ? " " : $0 })
    }
}
