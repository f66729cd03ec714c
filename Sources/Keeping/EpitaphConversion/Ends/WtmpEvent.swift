// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A start or shutdown of the machine in wtmp: utmp(5).
struct WtmpEvent: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case start
        /// RUN_LVL with the user `shutdown`, the last record that init writes.
        case shutdown
        /// Any other record, which shows how far back the file goes.
        case other
    }

    let kind: Kind
    let time: Timestamp

    static let recordBytes = UserRecordLayout.own.byteCount
    private static let shutdownName = Array("shutdown".utf8)

    static func events(_ bytes: [UInt8]) -> [WtmpEvent] {
        stride(from: 0, through: bytes.count - recordBytes, by: recordBytes).compactMap {
            WtmpEvent(bytes[$0..<($0 + recordBytes)])
        }
    }

    private init?(_ record: ArraySlice<UInt8>) {
        let start = record.startIndex
        let layout = UserRecordLayout.own
        func number(_ places: Range<Int>) -> UInt64 {
            record[(start + places.lowerBound)..<(start + places.upperBound)].reversed()
                .reduce(0) { $0 << 8 | UInt64($1) }
        }
        let seconds = number(layout.seconds)
        guard seconds != 0, seconds < 1 << 40 else { return nil }
        time = Timestamp(secondsSince1970: Double(seconds))
        let user = record[(start + layout.user)...].prefix(Self.shutdownName.count + 1)
        switch number(0..<2) {
        case 2: kind = .start
        case 1 where user.elementsEqual(Self.shutdownName + [0]): kind = .shutdown
        default: kind = .other
        }
    }

    init(_ kind: Kind, _ time: Timestamp) {
        self.kind = kind
        self.time = time
    }

    /// The restart after a process of another boot started.
    static func restart(in events: [WtmpEvent], after start: Timestamp) -> RestartEvidence {
        guard !events.isEmpty else { return .unknown("there is no wtmp, or it is empty") }
        guard let next = events.firstIndex(where: { $0.kind == .start && $0.time > start }) else {
            return .unknown("wtmp has no start of the machine since")
        }
        if let down = events[..<next].last(where: { $0.kind == .shutdown && $0.time >= start }) {
            return .shutdown(down.time)
        }
        // An earlier record that was rotated away may have been a shutdown.
        guard events[..<next].contains(where: { $0.kind == .start && $0.time <= start }) else {
            return .unknown("wtmp does not go back to the start of the machine before that")
        }
        return .withoutShutdown(events[next].time)
    }
}
