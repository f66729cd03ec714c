// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// When sessions begin and end. Pure: it sees moments, never a clock.
struct SessionState {
    struct Moment {
        /// The time of day, which can jump.
        let time: Date
        /// Seconds that never jump.
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

    /// Something was done. It belongs to the running session, or begins one.
    mutating func noteActivity(at moment: Moment) -> [Change] {
        var changes = expire(at: moment)
        if current == nil { changes.append(begin(at: moment)) }
        lastActivity = max(lastActivity, moment.seconds)
        current?.durationSeconds = max(lastActivity - startSeconds, 0)
        return changes
    }

    /// Another user's work is another session.
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

    /// Ends the session if nothing was done for too long. It ended with the last activity.
    mutating func expire(at moment: Moment) -> [Change] {
        guard current != nil, moment.seconds - lastActivity >= idleSeconds else { return [] }
        return end()
    }

    mutating func end() -> [Change] {
        guard let session = current else { return [] }
        current = nil
        return [.ended(session)]
    }

    /// Seconds until the session is over if nothing is done; nil without one.
    func secondsToExpiry(at moment: Moment) -> Double? {
        current == nil ? nil : max(lastActivity + idleSeconds - moment.seconds, 0)
    }

    private mutating func begin(at moment: Moment) -> Change {
        count += 1
        startSeconds = moment.seconds
        lastActivity = moment.seconds
        let session = Session(
            id: UUID(), numberInRun: count, startTime: moment.time, durationSeconds: 0,
            handledErrors: 0, userKey: userKey)
        current = session
        return .started(session)
    }
}

/// Stands for a user in what is kept on the disk.
enum UserKey {
    /// 64 bits of a hash. It keeps ids out of the files; whoever can try ids can still find one.
    ///
    /// - Parameter salt: of this installation, so that one user looks different in each.
    static func key(of user: String, salt: UUID?) -> UInt64 {
        // FNV-1a: the same in every process, which Swift's own hashing is not.
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in Array((salt?.uuidString ?? "").utf8) + [0] + Array(user.utf8) {
            hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        return hash
    }
}
