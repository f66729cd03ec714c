// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The condition of a destination that accepted no report when it was last tried, whichever
    /// report that was. Kept for all reports and all processes in `delivery/destinations.json`.
    package struct DestinationStanding: Sendable, Equatable {
        /// Why nothing is sent to a destination.
        package enum Trouble: String, Sendable, CaseIterable {
            /// It answers but rejects every request: a wrong address, or a wrong key.
            case refused
            /// It could not be reached.
            case unreachable
        }

        /// Scheme, host and port.
        package var server: String
        /// Nil once it accepts reports again.
        package var trouble: Trouble?
        /// When the trouble began, in whole seconds like all times here.
        package var since: Timestamp
        /// When a report was last tried.
        package var lastTry: Timestamp
        /// Tries since then, of any report; 0 if a person asked for a try now.
        package var tries: Int
        /// HTTP status; nil without an answer.
        package var status: Int?
        /// The server's words, or why there is no answer: one line of at most 300 characters.
        package var words: String
        /// When it accepted a report again. Failures before that were the destination's.
        package var recovered: Timestamp?

        /// Times are cut to whole seconds, texts to one line of at most 300 characters each, and
        /// `tries` below 0 counts as 0.
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
    /// Nil if the value is not a standing.
    init?(_ value: JSONValue) {
        guard case .text(let server)? = value["server"],
            case .integer(let since)? = value["since"],
            case .integer(let lastTry)? = value["last_try"],
            case .integer(let tries)? = value["tries"]
        else { return nil }
        var trouble: Trouble?
        if case .text(let word)? = value["trouble"] { trouble = Trouble(rawValue: word) }
        var status: Int?
        if case .integer(let number)? = value["status"] { status = Int(clamping: number) }
        var words = ""
        if case .text(let text)? = value["words"] { words = text }
        var recovered: Timestamp?
        if case .integer(let seconds)? = value["recovered"] {
            recovered = Timestamp(wholeSeconds: seconds)
        }
        self.init(
            server: server, trouble: trouble, since: Timestamp(wholeSeconds: since),
            lastTry: Timestamp(wholeSeconds: lastTry), tries: Int(clamping: tries), status: status,
            words: words, recovered: recovered)
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
