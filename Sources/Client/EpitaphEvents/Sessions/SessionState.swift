// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct SessionState {
    struct Moment {
        let time: Timestamp
        let seconds: Double
    }

    enum Change: Equatable {
        case started(Session)
        case ended(Session)
    }

    private(set) var current: Session?
    private var startSeconds = 0.0
    private var lastActivity = 0.0
    private var count = 0
    private var userKey: UInt64?
    let idleSeconds: Double

    init(idleSeconds: Double) {
        self.idleSeconds = idleSeconds
    }

    mutating func noteActivity(at moment: Moment) -> [Change] {
        var changes = expire(at: moment)
        if current == nil { changes.append(begin(at: moment)) }
        lastActivity = max(lastActivity, moment.seconds)
        current?.duration = Duration(
            clampedSeconds: max(lastActivity - startSeconds, 0))
        return changes
    }

    /// A change of user ends the session and begins another.
    mutating func setUser(_ key: UInt64?, at moment: Moment) -> [Change] {
        guard key != userKey else { return [] }
        userKey = key
        guard current != nil else { return [] }
        var changes = expire(at: moment)
        if current != nil { changes += end() }
        changes.append(begin(at: moment))
        return changes
    }

    mutating func noteHandledError(count: Int = 1) {
        current?.handledErrors += count
    }

    mutating func expire(at moment: Moment) -> [Change] {
        guard current != nil, moment.seconds - lastActivity >= idleSeconds else { return [] }
        return end()
    }

    mutating func end() -> [Change] {
        guard let session = current else { return [] }
        current = nil
        return [.ended(session)]
    }

    func secondsToExpiry(at moment: Moment) -> Double? {
        current == nil ? nil : max(lastActivity + idleSeconds - moment.seconds, 0)
    }

    private mutating func begin(at moment: Moment) -> Change {
        count += 1
        startSeconds = moment.seconds
        lastActivity = moment.seconds
        let session = Session(
            id: Epitaph.ID(), numberInRun: count, startTime: moment.time, duration: .zero,
            handledErrors: 0, userKey: userKey)
        current = session
        return .started(session)
    }
}

enum UserKey {
    /// Keeps ids out of the files, but does not resist guessing. `salt` differs by installation.
    static func key(of user: String, salt: Epitaph.ID?) -> UInt64 {
        var hash = FNV1a((salt?.description.uppercased() ?? "").utf8)
        hash.combine(0)
        hash.combine(user.utf8)
        return hash.value
    }
}
