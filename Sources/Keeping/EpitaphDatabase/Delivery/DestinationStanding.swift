// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A destination that accepted no report when it was last tried. Shared by all reports and
    /// processes in `delivery/destinations.json`.
    package struct DestinationStanding: Sendable, Equatable {
        package enum Trouble: String, Sendable, CaseIterable {
            /// It rejects every request: a wrong address or key.
            case refused
            case unreachable
        }

        package var server: String
        /// Nil once it accepts reports again.
        package var trouble: Trouble?
        package var since: Timestamp
        package var lastTry: Timestamp
        package var tries: Int
        /// HTTP status; nil without an answer.
        package var status: Int?
        /// The server's words, or why there is no answer: one line of at most 300 characters.
        package var words: String
        /// When it accepted a report again. Earlier failures were the destination's.
        package var recovered: Timestamp?

        /// Cuts times to whole seconds and texts to one line of at most 300 characters each.
        package init(
            server: String, trouble: Trouble?, since: Timestamp, lastTry: Timestamp, tries: Int,
            status: Int? = nil, words: String = "", recovered: Timestamp? = nil
        ) {
            self.server = server.boundedLine
            self.trouble = trouble
            self.since = Timestamp(wholeSeconds: since.wholeSeconds)
            self.lastTry = Timestamp(wholeSeconds: lastTry.wholeSeconds)
            self.tries = max(tries, 0)
            self.status = status
            self.words = words.boundedLine
            self.recovered = recovered.map { Timestamp(wholeSeconds: $0.wholeSeconds) }
        }
    }
}

extension DestinationStanding {
    init?(_ value: JSONValue) {
        guard let server = value["server"]?.string, let since = value["since"]?.time,
            let lastTry = value["last_try"]?.time, let tries = value["tries"]?.whole
        else { return nil }
        self.init(
            server: server, trouble: value["trouble"]?.string.flatMap(Trouble.init), since: since,
            lastTry: lastTry, tries: Int(clamping: tries),
            status: value["status"]?.whole.map { Int(clamping: $0) },
            words: value["words"]?.string ?? "", recovered: value["recovered"]?.time)
    }

    var json: JSONValue {
        var fields: [String: JSONValue] = [
            "server": .text(server), "since": .integer(since.wholeSeconds),
            "last_try": .integer(lastTry.wholeSeconds), "tries": .integer(Int64(tries)),
        ]
        fields["trouble"] = trouble.map { .text($0.rawValue) }
        fields["status"] = status.map { .integer(Int64($0)) }
        if !words.isEmpty { fields["words"] = .text(words) }
        fields["recovered"] = recovered.map { .integer($0.wholeSeconds) }
        return .object(fields)
    }
}
