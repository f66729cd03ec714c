// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct SessionRecord: Sendable, Equatable {
    package typealias Outcome = SessionEndDetails.Outcome

    /// The id of the session; for a crash outside of a session, of the launch.
    package var id: Epitaph.ID
    /// False for a crash outside of a session.
    package var isSession: Bool
    package var startTime: Timestamp
    package var durationSeconds: Double
    package var outcome: Outcome
    package var handledErrors: Int
    package var userKey: UInt64?

    init(_ session: Session, _ outcome: Outcome) {
        id = session.id
        isSession = true
        startTime = session.startTime
        durationSeconds = session.duration.inSeconds
        self.outcome = outcome
        handledErrors = session.handledErrors
        userKey = session.userKey
    }

    init(crashOf launchID: Epitaph.ID, at time: Timestamp) {
        id = launchID
        isSession = false
        startTime = time
        durationSeconds = 0
        outcome = .crashed
        handledErrors = 0
    }

    var day: SessionDay { SessionDay(startTime) }
}

extension SessionRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, isSession = "session", start, seconds, outcome, errors, user
    }

    /// Larger numbers are damage, and their sums could overflow.
    private static var numberLimit: Double { 1e10 }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Epitaph.ID.self, forKey: .id)
        isSession = try container.decode(Bool.self, forKey: .isSession)
        startTime = Timestamp(
            secondsSince1970: try container.decode(Double.self, forKey: .start))
        durationSeconds = max(try container.decode(Double.self, forKey: .seconds), 0)
        outcome = try container.decode(Outcome.self, forKey: .outcome)
        handledErrors = max(try container.decode(Int.self, forKey: .errors), 0)
        guard durationSeconds <= Self.numberLimit, Double(handledErrors) <= Self.numberLimit else {
            throw DecodingError.dataCorruptedError(
                forKey: .errors, in: container, debugDescription: "a number is out of reason")
        }
        userKey = try container.decodeIfPresent(String.self, forKey: .user).flatMap {
            UInt64($0, radix: 16)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id.description, forKey: .id)
        try container.encode(isSession, forKey: .isSession)
        try container.encode(startTime.secondsSince1970, forKey: .start)
        try container.encode(durationSeconds, forKey: .seconds)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(handledErrors, forKey: .errors)
        try container.encodeIfPresent(userKey.map { String($0, radix: 16) }, forKey: .user)
    }

    var line: [UInt8]? { JSONFile.bytes(self) }
}

/// A UTC day, as days since 1970.
struct SessionDay: Sendable, Hashable, Comparable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(_ time: Timestamp) {
        let seconds = min(max(time.secondsSince1970, 0), 4e12)
        number = Int(seconds) / 86_400
    }

    static func < (one: SessionDay, other: SessionDay) -> Bool { one.number < other.number }
}

enum JSONFile {
    static func bytes(_ value: some Encodable) -> [UInt8]? {
        (try? JSONText.encode(value)).map { $0 + [0x0a] }
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ bytes: some Sequence<UInt8>) -> Value?
    {
        try? JSONText.decode(type, from: bytes)
    }
}
