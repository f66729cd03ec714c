// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Something that happened in the program. docs/events.md describes its JSON.
    public struct Event: Sendable, Equatable {
        /// Lets a receiver recognise an event that was sent twice.
        public let id: Epitaph.ID
        /// The id of the launch.
        public let launchID: Epitaph.ID
        /// Number of the event within the launch, from 1. Gaps are dropped events.
        public let sequence: UInt64
        /// Wall clock, can jump.
        public let time: Timestamp
        /// A monotonic clock that goes on during sleep. Only comparable within a launch.
        public let monotonicSeconds: Double
        public let context: Context
        public let payload: EventPayload

        /// The session; nil if there was none.
        public var sessionID: Epitaph.ID? { context.sessionID }
        public var type: EventType { payload.type }

        public static let schemaVersion = 1

        public init(
            id: Epitaph.ID = Epitaph.ID(), launchID: Epitaph.ID, sequence: UInt64, time: Timestamp,
            monotonicSeconds: Double,
            context: Context, payload: EventPayload
        ) {
            self.id = id
            self.launchID = launchID
            self.sequence = sequence
            self.time = time
            self.monotonicSeconds = monotonicSeconds
            self.context = context
            self.payload = payload
        }
    }
}

extension Event: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case schemaVersion, id, launch, sequence, time, monotonicSeconds, type, context, payload
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.schemaVersion, forKey: .schemaVersion)
        try container.encode(id, forKey: .id)
        try container.encode(launchID, forKey: .launch)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(UTCTime.millisecondTimestamp(time), forKey: .time)
        // The clock is not more precise than a microsecond.
        let microseconds = (monotonicSeconds * 1_000_000).rounded() / 1_000_000
        try container.encode(microseconds, forKey: .monotonicSeconds)
        try container.encode(type, forKey: .type)
        try container.encode(context, forKey: .context)
        try container.encode(payload.details, forKey: .payload)
    }

    /// - Throws: if this is not an event of this version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .schemaVersion)
        guard version == Self.schemaVersion else {
            throw DecodingError.dataCorruptedError(
                forKey: .schemaVersion, in: container,
                debugDescription: "events of version \(version) are not known")
        }
        let text = try container.decode(String.self, forKey: .time)
        guard text.contains("T"),
            let time = UTCTime.date(parsing: text, now: Timestamp(secondsSince1970: 0))
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .time, in: container, debugDescription: "not a time of ISO 8601")
        }
        self.init(
            id: try container.decode(Epitaph.ID.self, forKey: .id),
            launchID: try container.decode(Epitaph.ID.self, forKey: .launch),
            sequence: try container.decode(UInt64.self, forKey: .sequence),
            time: time,
            monotonicSeconds: try container.decode(Double.self, forKey: .monotonicSeconds),
            context: try container.decode(Context.self, forKey: .context),
            payload: try EventPayload(
                container.decode(EventType.self, forKey: .type), from: container))
    }

    /// One line of JSON without its line break. Names are sorted, so equal events give equal bytes.
    /// Nil for a number that is not finite.
    public func line() -> [UInt8]? {
        try? JSONText.encode(self)
    }

    /// Nil if the line is not an event.
    public init?(line: some Sequence<UInt8>) {
        guard let event = try? JSONText.decode(Event.self, from: line) else {
            return nil
        }
        self = event
    }
}
