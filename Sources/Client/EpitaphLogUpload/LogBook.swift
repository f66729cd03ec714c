// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

struct LogTime {
    /// The time of day, which can jump.
    let wall: Timestamp
    /// Seconds since some fixed moment, which never go back.
    let monotonic: Double
}

/// State of each file between looks at the directory. Pure: file lists and times are passed in.
struct LogBook {
    enum Standing: Equatable {
        /// It may still be written; counts as finished after this time.
        case settling(until: Double)
        /// A try failed; time of the next one.
        case waiting(until: Double)
        case due
        /// The server does not accept it.
        case refused
        /// The server has it, but it could not be deleted.
        case delivered
    }

    struct Changes: Equatable {
        /// Files that disappeared or changed before they could be sent.
        var vanished: [LogFile] = []
        /// Whether a file was rolled since the last look.
        var hasNew = false
    }

    private enum Outcome { case open, refused, delivered }

    private struct Entry {
        var file: LogFile
        var settledAt: Double
        var dueAt: Double
        var failures = 0
        var outcome = Outcome.open
        /// Another uploader had it at the last try: if it is gone now, it was sent.
        var isTaken = false
    }

    private var entries: [FileIdentity: Entry] = [:]
    private var hasLooked = false
    let settleSeconds: Double

    /// - Parameter settleSeconds: how long a file must be unchanged before it counts as finished.
    init(settleSeconds: Double) {
        self.settleSeconds = settleSeconds
    }

    /// Whether a file that waits to be sent is missing from these.
    func misses(_ files: [LogFile]) -> Bool {
        let present = Set(files.map(\.identity))
        return entries.contains { $1.outcome == .open && !present.contains($0) }
    }

    /// Updates the book from the present files. Empty files are skipped.
    mutating func look(at files: [LogFile], _ time: LogTime) -> Changes {
        var changes = Changes()
        var present: [FileIdentity: Entry] = [:]
        for file in files where file.sizeBytes > 0 {
            guard let known = entries[file.identity] else {
                present[file.identity] = entry(for: file, time)
                changes.hasNew = changes.hasNew || hasLooked
                continue
            }
            present[file.identity] = updated(known, file, time, &changes)
        }
        for (identity, entry) in entries
        where present[identity] == nil && entry.outcome == .open && !entry.isTaken {
            changes.vanished.append(entry.file)
        }
        entries = present
        hasLooked = true
        if changes.hasNew { makeAllDue(time) }
        changes.vanished.sort { ($0.modificationTime, $0.name) < ($1.modificationTime, $1.name) }
        return changes
    }

    /// At the first look, a file that has not been written for a while is finished. Later that is
    /// not enough: the name is new, and the program may still write to it under the old one.
    private func entry(for file: LogFile, _ time: LogTime) -> Entry {
        let age = time.wall.seconds(since: file.modificationTime)
        let isOld = !hasLooked && age >= settleSeconds
        return Entry(
            file: file, settledAt: isOld ? time.monotonic : time.monotonic + settleSeconds,
            dueAt: time.monotonic)
    }

    private func updated(
        _ known: Entry, _ file: LogFile, _ time: LogTime, _ changes: inout Changes
    ) -> Entry {
        var entry = known
        entry.file = file
        entry.isTaken = false
        guard
            known.file.sizeBytes != file.sizeBytes
                || known.file.modificationTime != file.modificationTime
        else { return entry }
        // Logs only grow. A shorter one is another file with a reused inode.
        if file.sizeBytes < known.file.sizeBytes, known.outcome == .open, !known.isTaken {
            changes.vanished.append(known.file)
        }
        return Entry(
            file: file, settledAt: time.monotonic + settleSeconds, dueAt: time.monotonic)
    }

    private mutating func makeAllDue(_ time: LogTime) {
        for identity in entries.keys {
            entries[identity]?.dueAt = time.monotonic
        }
    }

    func standing(of file: LogFile, _ time: LogTime) -> Standing? {
        guard let entry = entries[file.identity] else { return nil }
        switch entry.outcome {
        case .refused: return .refused
        case .delivered: return .delivered
        case .open:
            if entry.settledAt > time.monotonic { return .settling(until: entry.settledAt) }
            return entry.dueAt > time.monotonic ? .waiting(until: entry.dueAt) : .due
        }
    }

    /// Consecutive failures to send the file.
    func failures(of file: LogFile) -> Int { entries[file.identity]?.failures ?? 0 }

    mutating func noteFailure(of file: LogFile, nextTry: Double) {
        entries[file.identity]?.failures += 1
        entries[file.identity]?.dueAt = nextTry
    }

    mutating func notePostponement(of file: LogFile, until time: Double) {
        entries[file.identity]?.dueAt = time
    }

    mutating func noteTaken(_ file: LogFile, nextTry: Double) {
        entries[file.identity]?.isTaken = true
        entries[file.identity]?.dueAt = nextTry
    }

    mutating func noteRefusal(of file: LogFile) { entries[file.identity]?.outcome = .refused }

    mutating func noteDelivery(of file: LogFile) { entries[file.identity]?.outcome = .delivered }

    mutating func forget(_ file: LogFile) { entries[file.identity] = nil }
}
