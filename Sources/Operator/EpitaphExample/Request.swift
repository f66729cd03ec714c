// SPDX-License-Identifier: Apache-2.0

import Epitaph

/// Requests of a client, one per line.
enum Request {
    /// `add NAME AMOUNT` and `total`: the daemon's purpose.
    case add(name: String, amount: Int)
    case total
    /// `note NAME VALUE`: an annotation of later reports.
    case note(name: String, value: String)
    /// `user NAME`: the daemon's user from now on.
    case user(name: String)
    /// `set NAME VALUE`: a setting.
    case set(name: String, value: String)
    /// `take NAME AMOUNT`: fails if there is not that much, which is a handled error.
    case take(name: String, amount: Int)
    /// `status`: what has become of events.
    case status
    /// `hang` and `recover`: the importer stops and continues.
    case hang
    case recover
    /// `eat`: uses up the memory of the control group.
    case eat
    /// `crash WAY`, and `test-crash WAY`, which is refused unless test crashes are allowed.
    case crash(CrashWay)
    case testCrash(TestCrash)
    case quit

    static let words =
        "add NAME AMOUNT, total, note NAME VALUE, user NAME, set NAME VALUE, take NAME AMOUNT, "
        + "status, hang, recover, eat, crash WAY, test-crash WAY, quit"

    init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard let request = Self.withoutWords(words) ?? Self.withWords(words) else { return nil }
        self = request
    }

    private static func withoutWords(_ words: [String]) -> Request? {
        guard words.count == 1 else { return nil }
        return switch words[0] {
        case "total": .total
        case "status": .status
        case "hang": .hang
        case "recover": .recover
        case "eat": .eat
        case "quit": .quit
        default: nil
        }
    }

    private static func withWords(_ words: [String]) -> Request? {
        let last = words.last ?? ""
        return switch (words.first, words.count) {
        case ("add", 3): Int(last).map { .add(name: words[1], amount: $0) }
        case ("take", 3): Int(last).map { .take(name: words[1], amount: $0) }
        case ("note", 3): .note(name: words[1], value: last)
        case ("set", 3): .set(name: words[1], value: last)
        case ("user", 2): .user(name: last)
        case ("crash", 2): CrashWay(rawValue: last).map { .crash($0) }
        case ("test-crash", 2): TestCrash(rawValue: last).map { .testCrash($0) }
        default: nil
        }
    }
}
