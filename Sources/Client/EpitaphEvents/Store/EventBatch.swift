// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A batch of events on disk, named `<order>-<seconds>-<count>-<uuid>.ndjson`. `order`, 20 digits,
/// sorts batches as they were written: microseconds since 1970, but always more than the one
/// before. `seconds`, of the wall clock, gives the age.
struct EventBatch: Sendable, Hashable {
    let order: UInt64
    let seconds: Int64
    let count: Int
    let id: Epitaph.ID

    private static let ending = ".ndjson"
    /// More than a batch can have, so that sums of counts from file names cannot overflow.
    private static let countLimit = 1_000_000

    init(order: UInt64, seconds: Int64, count: Int, id: Epitaph.ID) {
        self.order = order
        self.seconds = seconds
        self.count = count
        self.id = id
    }

    /// Nil for any other name: other files are never touched.
    init?(name: String) {
        guard name.hasSuffix(Self.ending) else { return nil }
        let parts = name.dropLast(Self.ending.count).split(
            separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].utf8.count == 20, let order = UInt64(parts[0]),
            let seconds = Int64(parts[1]), let count = Int(parts[2]), seconds >= 0,
            (1...Self.countLimit).contains(count),
            let id = Epitaph.ID(String(parts[3]))
        else { return nil }
        self.init(order: order, seconds: seconds, count: count, id: id)
        guard self.name == name else { return nil }
    }

    var name: String {
        let place = String(order).zeroPadded(to: 20)
        return "\(place)-\(seconds)-\(count)-\(id.description)\(Self.ending)"
    }
}

struct StoredBatch: Sendable, Equatable {
    let batch: EventBatch
    let sizeBytes: Int
    /// Space on disk: a small file takes a whole block.
    let diskBytes: Int
}

struct EventRetention {
    let ageLimitSeconds: Double
    let diskLimitBytes: Int

    /// `batches` are sorted by their order; `now` is nil if the wall clock cannot be trusted.
    func excess(
        of batches: [StoredBatch], now: Int64?
    ) -> [(batch: EventBatch, reason: DropReason)] {
        var bytes = batches.reduce(0) { $0 + $1.diskBytes }
        var excess: [(EventBatch, DropReason)] = []
        for stored in batches {
            let isOld = now.map { Double($0) - Double(stored.batch.seconds) > ageLimitSeconds }
            if isOld == true {
                excess.append((stored.batch, .tooOld))
            } else if bytes > diskLimitBytes {
                excess.append((stored.batch, .overLimit))
            } else {
                continue
            }
            bytes -= stored.diskBytes
        }
        return excess
    }
}
