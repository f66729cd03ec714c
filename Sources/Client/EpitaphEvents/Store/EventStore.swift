// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// A directory of event batches, one file of JSON lines each, for any number of processes. A batch
/// is written under another name, synced and renamed, so its file is always complete.
final class EventStore: Sendable {
    let directory: Directory
    private let clock: any WallClock
    private let lastOrder = ForkSafeMutex<UInt64>(0)

    private static let unfinishedPrefix = ".new-"
    /// An older unfinished file was left behind by a process that died.
    private static let unfinishedAgeSeconds = 3_600.0

    /// Opens or creates `events` in a database, with the rights of the database's owner.
    init(inDatabase path: String, clock: any WallClock) throws(SystemError) {
        let database = try Directory(opening: path).withOwnersRights()
        directory = try database.makeAndOpen("events")
        self.clock = clock
        let last = try batches().last?.batch.order ?? 0
        lastOrder.withLock { $0 = last }
    }

    /// Writes a batch durably; if this throws, nothing was written.
    func append(_ lines: [[UInt8]]) throws(SystemError) {
        let now = clock.now().secondsSince1970
        let order = lastOrder.withLock { last in
            let time = now > 0 ? UInt64(min(now * 1_000_000, 9e18)) : 0
            last = max(time, last == .max ? .max : last + 1)
            return last
        }
        let batch = EventBatch(
            order: order, seconds: now > 0 ? Int64(min(now, 9e15)) : 0, count: lines.count,
            id: Epitaph.ID())
        try directory.replace(
            batch.name, with: lines.flatMap { $0 + [0x0a] },
            writing: Self.unfinishedPrefix + batch.id.description, isSynced: true)
    }

    func batches() throws(SystemError) -> [StoredBatch] {
        var found: [StoredBatch] = []
        for name in try directory.list().names {
            guard let batch = EventBatch(name: name), let status = try directory.status(of: name),
                status.kind == .regular
            else { continue }
            found.append(
                StoredBatch(
                    batch: batch, sizeBytes: status.sizeBytes,
                    diskBytes: max(status.diskBytes, status.sizeBytes)))
        }
        return found.sorted { ($0.batch.order, $0.batch.id) < ($1.batch.order, $1.batch.id) }
    }

    func open(_ batch: EventBatch) throws(SystemError) -> FileDescriptor? {
        let file = try unless(
            { $0.isNotFound || $0.isSymbolicLink }, directory.openForReading(batch.name))
        return try file?.fileStatus().kind == .regular ? file : nil
    }

    func remove(_ batch: EventBatch) throws(SystemError) -> Bool {
        try directory.remove(batch.name)
    }

    /// Removes batches beyond the limits. Requires the `SendingClaim`: a batch that is being sent
    /// must not be counted as dropped.
    ///
    /// - Parameter batches: all batches, sorted by their order; removed ones are taken out.
    /// - Returns: how many events were removed, by reason.
    func prune(
        _ batches: inout [StoredBatch], by retention: EventRetention
    ) throws(SystemError) -> DropCounts {
        let now = clock.now()
        // If no earlier pass recorded the time, the newest batch gives a lower bound.
        let witness = batches.map(\.batch.seconds).max().map {
            Timestamp(secondsSince1970: Double($0))
        }
        let isTrusted = directory.isClockTrusted(at: now, witness: witness)
        let seconds = isTrusted ? Int64(now.secondsSince1970) : nil
        var dropped = DropCounts()
        for (batch, reason) in retention.excess(of: batches, now: seconds) {
            if try remove(batch) { dropped.add(batch.count, reason) }
            batches.removeAll { $0.batch == batch }
        }
        if isTrusted { removeUnfinished(now) }
        return dropped
    }

    private func removeUnfinished(_ now: Timestamp) {
        for name in (try? directory.list().names) ?? [] {
            guard name.hasPrefix(Self.unfinishedPrefix),
                Epitaph.ID(String(name.dropFirst(Self.unfinishedPrefix.count))) != nil,
                let status = try? directory.status(of: name), status.kind == .regular,
                now.seconds(since: status.modificationTime) > Self.unfinishedAgeSeconds
            else { continue }
            _ = try? directory.remove(name)
        }
    }
}
