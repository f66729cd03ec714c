// SPDX-License-Identifier: Apache-2.0

/// Why an event was dropped.
public enum DropReason: String, Sendable, CaseIterable, Codable {
    /// Too many waited in memory for the disk.
    case bufferFull
    /// Its details were longer than an event may be.
    case tooLarge
    /// JSON cannot hold it.
    case encoder
    /// There was no room on the disk.
    case diskFull
    /// The directory could not be written to for another reason.
    case storeFailed
    /// It had waited for the server as long as it may.
    case tooOld
    /// Events on the disk took more than they may, and it was among the oldest.
    case overLimit
    /// The server will never take it.
    case refused
    /// The log was not started, was stopped, or belongs to the parent of this process.
    case notRunning
    /// An observer had not taken the earlier ones yet. It was lost to that observer alone.
    case observerBehind
}

/// How many events were dropped, by reason.
public struct DropCounts: Sendable, Equatable {
    private var counts: [DropReason: UInt64] = [:]

    /// None.
    public init() {}

    /// How many were dropped for this reason.
    public subscript(reason: DropReason) -> UInt64 { counts[reason] ?? 0 }

    /// How many were dropped, for whatever reason.
    public var total: UInt64 { counts.values.reduce(0, &+) }

    /// Counts `number` more.
    mutating func add(_ number: Int, _ reason: DropReason) {
        guard number > 0 else { return }
        counts[reason, default: 0] &+= UInt64(number)
    }

    /// What came since `earlier`.
    func since(_ earlier: DropCounts) -> DropCounts {
        var difference = DropCounts()
        for (reason, count) in counts where count > earlier[reason] {
            difference.counts[reason] = count - earlier[reason]
        }
        return difference
    }

    /// As an event tells it.
    var details: DroppedEventsDetails {
        DroppedEventsDetails(
            counts: Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) }))
    }
}

extension DropCounts: CustomStringConvertible {
    /// For example `3 bufferFull, 1 tooLarge`.
    public var description: String {
        let phrases = DropReason.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0)" }
        return phrases.isEmpty ? "none" : phrases.joined(separator: ", ")
    }
}
