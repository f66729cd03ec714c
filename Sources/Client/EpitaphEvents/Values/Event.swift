// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Something that happened in the program, with its time and context. docs/events.md describes
    /// its JSON.
    public struct Event: Sendable, Equatable {
        /// Unique, so that a receiver recognises an event that was sent twice.
        public let id: Epitaph.ID
        /// The id of the launch, the same for all events of one run of the program.
        public let launchID: Epitaph.ID
        /// The number of the event within the launch, counted from 1. Missing numbers are events
        /// that were dropped.
        public let sequence: UInt64
        /// Wall-clock time, which can jump.
        public let time: Timestamp
        /// Seconds of a clock that never jumps and goes on while the machine sleeps. Only times of
        /// one launch can be compared.
        public let monotonicSeconds: Double
        /// The program, the session and the user at that moment.
        public let context: Context
        /// What happened.
        public let payload: EventPayload

        /// The session it belongs to; nil if there was none.
        public var sessionID: Epitaph.ID? { context.sessionID }
        /// The kind of event.
        public var type: EventType { payload.type }

        /// The version of the JSON format.
        public static let schemaVersion = 1

        /// Creates an event.
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

    /// One line of JSON without its line break. Names are sorted, so the same event always gives
    /// the same bytes. Nil if JSON cannot represent it: a number that is not finite.
    public func line() -> [UInt8]? {
        try? JSONText.encode(self)
    }

    /// Decodes a line of JSON; nil if it is not an event.
    public init?(line: some Sequence<UInt8>) {
        guard let event = try? JSONText.decode(Event.self, from: line) else {
            return nil
        }
        self = event
    }
}
