// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct FileLayout: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        case slice(ByteSlice)
        /// Encoded only when written, so that thousands of threads take little memory.
        case context(RegisterSnapshot, Architecture)

        var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .slice(let slice): slice.count
            case .context(_, let architecture): ContextFormat.byteCount(on: architecture)
            }
        }
    }

    struct Piece: Sendable {
        let offset: UInt64
        var content: Content
    }

    struct Reservation: Sendable {
        fileprivate let index: Int?
        let location: Location
    }

    private(set) var pieces: [Piece] = []
    private(set) var end: UInt64 = 0
    let limit: UInt64
    private(set) var damage: [Damage] = []

    init(limit: UInt64) {
        self.limit = limit
    }

    static func aligned(_ offset: UInt64, to alignment: UInt64) -> UInt64 {
        let (sum, overflow) = offset.addingReportingOverflow(alignment - 1)
        return overflow ? .max : sum / alignment * alignment
    }

    /// Places `content` at the end. Beyond the limit that is damage, and the location is empty.
    mutating func place(
        _ content: Content, alignment: UInt64 = 4, for subject: String
    ) -> Location {
        let count = UInt64(content.byteCount)
        let offset = Self.aligned(end, to: alignment)
        let (newEnd, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, newEnd <= limit,
            let size = UInt32(exactly: count), let offset32 = UInt32(exactly: offset)
        else {
            lose(subject)
            return .none
        }
        pieces.append(Piece(offset: offset, content: content))
        end = newEnd
        return Location(size: size, offset: offset32)
    }

    mutating func place(_ record: ByteBuilder, for subject: String) -> Location {
        place(.bytes(record.bytes), for: subject)
    }

    mutating func reserve(byteCount: Int, for subject: String) -> Reservation {
        let location = place(.bytes([UInt8](repeating: 0, count: byteCount)), for: subject)
        return Reservation(index: location == .none ? nil : pieces.count - 1, location: location)
    }

    mutating func fill(_ reservation: Reservation, with record: ByteBuilder) {
        guard let index = reservation.index else { return }
        assert(record.count == pieces[index].content.byteCount)
        pieces[index].content = .bytes(record.bytes)
    }

    /// MINIDUMP_STRING: byte count without terminator, UTF-16, terminator. 0 if it did not fit.
    mutating func placeUTF16(_ text: String, for subject: String) -> UInt32 {
        var record = ByteBuilder()
        let units = Array(text.utf16)
        record.append(UInt32(truncatingIfNeeded: units.count * 2))
        units.forEach { record.append($0) }
        record.append(UInt16(0))
        return place(record, for: subject).offset
    }

    /// Crashpad's MinidumpUTF8String: byte count without the terminator, UTF-8, terminator.
    mutating func placeUTF8(_ text: String, for subject: String) -> UInt32 {
        var record = ByteBuilder()
        record.append(UInt32(truncatingIfNeeded: text.utf8.count))
        record.append(text + "\0")
        return place(record, for: subject).offset
    }

    /// Offset 0 for no text.
    mutating func placeUTF8(unlessEmpty text: String, for subject: String) -> UInt32 {
        text.isEmpty ? 0 : placeUTF8(text, for: subject)
    }

    private mutating func lose(_ subject: String) {
        guard damage.last?.subject != subject else { return }
        damage.append(
            Damage(
                stage: .writing, subject: subject, reason: "a minidump has no room for it"))
    }
}
