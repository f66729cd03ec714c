// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Why an event was dropped.
    public enum DropReason: String, Sendable, CaseIterable, Codable {
        /// Too many events were waiting to be written.
        case bufferFull
        /// It was larger than an event may be.
        case tooLarge
        /// It cannot be encoded as JSON.
        case encoder
        case diskFull
        /// The directory could not be written for another reason.
        case storeFailed
        /// It had waited too long for the server.
        case tooOld
        /// The events on disk took too much space, and it was among the oldest.
        case overLimit
        /// The server will never accept it.
        case refused
        /// The log was not started, was stopped, or belongs to the parent of this process.
        case notRunning
        /// An observer was still busy with earlier events. Only that observer missed it.
        case observerBehind
    }

    /// How many events were dropped, by reason.
    public struct DropCounts: Sendable, Equatable {
        private var counts: [DropReason: UInt64] = [:]

        public init() {}

        public subscript(reason: DropReason) -> UInt64 { counts[reason] ?? 0 }

        public var total: UInt64 { counts.values.reduce(0, &+) }

        mutating func add(_ number: Int, _ reason: DropReason) {
            guard number > 0 else { return }
            counts[reason, default: 0] &+= UInt64(number)
        }

        func since(_ earlier: DropCounts) -> DropCounts {
            var difference = DropCounts()
            for (reason, count) in counts where count > earlier[reason] {
                difference.counts[reason] = count - earlier[reason]
            }
            return difference
        }

        var details: DroppedEventsDetails {
            DroppedEventsDetails(
                counts: Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
            )
        }
    }
}

extension DropCounts: CustomStringConvertible {
    /// For example `3 bufferFull, 1 tooLarge`.
    public var description: String {
        let phrases = DropReason.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0)" }
        return phrases.isEmpty ? "none" : phrases.joined(separator: ", ")
    }
}
