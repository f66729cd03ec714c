// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// A UUID (RFC 9562) of a report, a launch, a session or an event.
    ///
    /// Printed, sorted and stored as 36 lower-case characters, as in Crashpad's file names.
    /// Foundation's `UUID` would link Foundation into every program with Epitaph.
    public struct ID: Hashable, Sendable {
        /// In network byte order.
        @usableFromInline
        let high: UInt64
        @usableFromInline
        let low: UInt64

        /// A new random id, version 4.
        public init() {
            var generator = SystemRandomNumberGenerator()
            high = generator.next() & 0xffff_ffff_ffff_0fff | 0x4000
            low = generator.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        }

        /// Reads `8-4-4-4-12` hexadecimal digits in either case.
        @inlinable
        public init?(_ text: some StringProtocol) {
            let read = text.utf8.withContiguousStorageIfAvailable { ID(digits: $0) }
            guard let id = read ?? ID(digits: text.utf8) else { return nil }
            self = id
        }

        @inlinable
        init?(digits: some Sequence<UInt8>) {
            var halves: (high: UInt64, low: UInt64) = (0, 0)
            var place = 0
            for byte in digits {
                switch place {
                case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return nil }
                case 0..<36:
                    guard let digit = byte.digitValue else { return nil }
                    if place < 18 {
                        halves.high = halves.high << 4 | UInt64(digit)
                    } else {
                        halves.low = halves.low << 4 | UInt64(digit)
                    }
                default: return nil
                }
                place += 1
            }
            guard place == 36 else { return nil }
            (high, low) = halves
        }

        package init?(bytes: some Sequence<UInt8>) {
            var count = 0
            var halves: (high: UInt64, low: UInt64) = (0, 0)
            for byte in bytes {
                if count < 8 {
                    halves.high = halves.high << 8 | UInt64(byte)
                } else {
                    halves.low = halves.low << 8 | UInt64(byte)
                }
                count += 1
            }
            guard count == 16 else { return nil }
            (high, low) = halves
        }

        package static let none = ID(high: 0, low: 0)

        /// In network byte order.
        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// In network byte order.
        package var bytes: [UInt8] {
            (0..<16).map { place in
                let half = place < 8 ? high : low
                return UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64(place % 8)))
            }
        }

        /// Of how many characters the common beginning of two descriptions is.
        package func commonLength(with other: ID) -> Int {
            let half = (high ^ other.high).leadingZeroBitCount
            let bits = half < 64 ? half : 64 + (low ^ other.low).leadingZeroBitCount
            let digits = bits / 4
            return digits + [8, 12, 16, 20].count { $0 <= digits }
        }

        /// Random in every version: spreads reports over time and machines.
        package var lastByte: UInt8 { UInt8(truncatingIfNeeded: low) }
        /// RFC 9562, section 4.2; 8 for ids with fields defined by their maker.
        package var version: Int { Int(high >> 12 & 0xf) }
    }
}

extension Epitaph.ID: CustomStringConvertible {
    public var description: String {
        // Databases ask for it several times a file.
        String(unsafeUninitializedCapacity: 36) { text in
            var rest = high
            for place in 0..<36 {
                switch place {
                case 8, 13, 18, 23: text[place] = UInt8(ascii: "-")
                default:
                    text[place] = UInt8(rest >> 60).hexDigit
                    rest = place == 17 ? low : rest << 4
                }
            }
            return 36
        }
    }
}

extension Epitaph.ID: Comparable {
    public static func < (one: Epitaph.ID, other: Epitaph.ID) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }
}

extension Epitaph.ID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Epitaph.ID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
