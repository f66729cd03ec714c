// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Rules that make no sense. Nothing is sent by rules that are not understood.
public struct RulesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The option, or the file and the key in it.
    public var place: String
    /// What is wrong and what to do, in words that continue "<place>: …".
    public var reason: String

    public init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }

    public var description: String { "\(place): \(reason)" }

    static func unknown(_ word: String, at place: String, choices: [String]) -> RulesError {
        RulesError(
            place: place,
            reason: "\"\(word.printable())\" is not known; choose \(Self.list(choices))")
    }

    static func list(_ choices: [String]) -> String {
        guard let last = choices.last, choices.count > 1 else { return choices.first ?? "nothing" }
        return choices.dropLast().joined(separator: ", ") + " or " + last
    }
}
