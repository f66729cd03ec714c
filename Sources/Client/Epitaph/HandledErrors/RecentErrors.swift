// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A recent handled error, for inspection within the program.
    public struct RecentHandledError: Sendable, Equatable {
        /// The id of its report, also if filing it failed; nil if it gets none of its own.
        public let id: Epitaph.ID?
        /// When it happened.
        public let date: Timestamp
        /// What was reported.
        public let error: HandledError
        /// For an error with a report: how many of its type and place were only counted since.
        public internal(set) var repeatCount: Int
        /// Why there is no report; nil if there is one, and for an error that was only counted.
        public let failure: Refusal?
    }
}

/// One of the errors that were counted instead of reported.
struct RepeatedError: Sendable {
    let error: HandledError
    /// Nanoseconds since 1970.
    let timeNanoseconds: UInt64
    let scope: CallerScope?
}

struct UnreadError: Sendable {
    let key: UInt64?
    let subject: ErrorSubject
    let properties: [String: String]
    let timeNanoseconds: UInt64
    let scope: CallerScope?
    let failure: Refusal?
}

struct RecentErrors {
    /// How many of the errors that were counted are in the report of their number.
    static let repeatLimit = 10

    private struct Entry {
        let key: UInt64?
        var error: RecentHandledError
        /// Whether the report of its number is still to be made, and its scope until then.
        var isWaiting = false
        var scope: CallerScope?
        var isCleared = false
    }
    private var entries: [Entry] = []

    mutating func append(_ error: RecentHandledError, of key: UInt64?, limit: Int) {
        append(Entry(key: key, error: error), limit: limit)
    }

    mutating func append(_ unread: UnreadError, as error: HandledError, limit: Int) {
        append(
            Entry(
                key: unread.key,
                error: RecentHandledError(
                    id: nil, date: Timestamp(nanosecondsSince1970: unread.timeNanoseconds),
                    error: error, repeatCount: 0, failure: unread.failure),
                isWaiting: unread.failure == nil, scope: unread.scope),
            limit: limit)
    }

    /// Half of the room is for errors with reports, which a flood therefore cannot drive out.
    private mutating func append(_ entry: Entry, limit: Int) {
        entries.append(entry)
        guard entries.count > limit else { return }
        let mostAreUnreported = entries.count { $0.error.id == nil } > limit / 2
        let oldest = entries.firstIndex { ($0.error.id == nil) == mostAreUnreported }
        entries.remove(at: oldest ?? 0)
    }

    /// The report of a number still has those that wait for it.
    mutating func clear() {
        entries.removeAll { !$0.isWaiting }
        for index in entries.indices { entries[index].isCleared = true }
    }

    mutating func add(_ count: Int, to key: UInt64?) {
        guard let key,
            let index = entries.lastIndex(where: { $0.key == key && $0.error.id != nil })
        else { return }
        entries[index].error.repeatCount += count
    }

    /// The latest errors of a kind that were counted since the last call, oldest first.
    mutating func takeRepeats(of key: UInt64) -> [RepeatedError] {
        var repeats: [RepeatedError] = []
        for index in entries.indices where entries[index].key == key && entries[index].isWaiting {
            let entry = entries[index]
            repeats.append(
                RepeatedError(
                    error: entry.error.error,
                    timeNanoseconds: entry.error.date.nanosecondsSince1970, scope: entry.scope))
            entries[index].isWaiting = false
            entries[index].scope = nil
        }
        return repeats.suffix(Self.repeatLimit)
    }

    /// The oldest first; `waiting` counts errors of a kind that are not reported yet.
    func all(waiting: (UInt64) -> Int) -> [RecentHandledError] {
        var seen: Set<UInt64> = []
        return entries.reversed().filter { !$0.isCleared }.map { entry in
            var error = entry.error
            if let key = entry.key, error.id != nil, seen.insert(key).inserted {
                error.repeatCount += waiting(key)
            }
            return error
        }.reversed()
    }
}
