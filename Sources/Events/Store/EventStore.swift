// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import LinuxSystem
import ReportDatabase
import Synchronization

/// Batches of events in a directory, a file each, lines of JSON. Any number of processes may use
/// one at once.
///
/// A batch is written beside, synced, and gets its name by renaming: under the name of a batch
/// there is always a whole one, also after a power failure.
final class EventStore: Sendable {
    let directory: Directory
    private let clock: any WallClock
    private let lastOrder = Mutex<UInt64>(0)

    private static let unfinishedPrefix = ".new-"
    /// After this a file that is being written counts as left behind by a process that died.
    private static let unfinishedAgeSeconds = 3_600.0

    /// Opens the directory `events` of a database, made where it is missing, with the rights of the
    /// database's owner.
    init(inDatabase path: String, clock: any WallClock) throws(SystemError) {
        let database = try Directory(opening: path).withOwnersRights()
        directory = try database.makeAndOpen("events")
        self.clock = clock
        let last = try batches().last?.batch.order ?? 0
        lastOrder.withLock { $0 = last }
    }

    /// Writes a batch. When this returns it survives a power failure; when it throws nothing of it
    /// is there.
    func append(_ lines: [[UInt8]]) throws(SystemError) {
        let now = clock.now().timeIntervalSince1970
        let order = lastOrder.withLock { last in
            let time = now > 0 ? UInt64(min(now * 1_000_000, 9e18)) : 0
            last = max(time, last == .max ? .max : last + 1)
            return last
        }
        let batch = EventBatch(
            order: order, seconds: now > 0 ? Int64(min(now, 9e15)) : 0, count: lines.count,
            id: UUID())
        let unfinished = Self.unfinishedPrefix + batch.id.uuidString.lowercased()
        let file = try directory.create(unfinished)
        do throws(SystemError) {
            let newline = ByteSlice([0x0a])
            try file.writeAll(lines.flatMap { [ByteSlice($0), newline] })
            try file.synchronize()
            try directory.rename(unfinished, to: directory, as: batch.name)
        } catch {
            _ = try? directory.remove(unfinished)
            throw error
        }
        try directory.synchronize()
    }

    /// All batches, the oldest first. Other files are passed over.
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
        return found.sorted {
            ($0.batch.order, $0.batch.id.uuidString) < ($1.batch.order, $1.batch.id.uuidString)
        }
    }

    /// Opens a batch; nil when it is gone, and when something else than a file is in its place.
    func open(_ batch: EventBatch) throws(SystemError) -> FileDescriptor? {
        do throws(SystemError) {
            let file = try directory.openForReading(batch.name)
            return try file.fileStatus().kind == .regular ? file : nil
        } catch {
            guard error.isNotFound || error.isSymbolicLink else { throw error }
            return nil
        }
    }

    /// - Returns: whether it was there.
    func remove(_ batch: EventBatch) throws(SystemError) -> Bool {
        try directory.remove(batch.name)
    }

    /// Removes what is too old and what is too much. For the holder of the `SendingClaim` alone:
    /// what is being sent must not count as dropped.
    ///
    /// - Parameter batches: what is there, in its order; what was removed is taken out.
    /// - Returns: how many events were removed, by reason.
    func prune(
        _ batches: inout [StoredBatch], by retention: EventRetention
    ) throws(SystemError) -> DropCounts {
        let now = clock.now()
        // The newest batch shows how far the clock was, where no earlier pass has recorded it.
        let witness = batches.map(\.batch.seconds).max().map {
            Date(timeIntervalSince1970: Double($0))
        }
        let isTrusted = directory.isClockTrusted(at: now, witness: witness)
        let seconds = isTrusted ? Int64(now.timeIntervalSince1970) : nil
        var dropped = DropCounts()
        for (batch, reason) in retention.excess(of: batches, now: seconds) {
            if try remove(batch) { dropped.add(batch.count, reason) }
            batches.removeAll { $0.batch == batch }
        }
        if isTrusted { removeUnfinished(now) }
        return dropped
    }

    private func removeUnfinished(_ now: Date) {
        for name in (try? directory.list().names) ?? [] {
            guard name.hasPrefix(Self.unfinishedPrefix),
                UUID(uuidString: String(name.dropFirst(Self.unfinishedPrefix.count))) != nil,
                let status = try? directory.status(of: name), status.kind == .regular,
                now.timeIntervalSince(status.modificationTime) > Self.unfinishedAgeSeconds
            else { continue }
            _ = try? directory.remove(name)
        }
    }
}
