// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_LOCATION_DESCRIPTOR: size and file offset, both zero for nothing.
struct Location: Equatable, Sendable {
    var size: UInt32 = 0
    var offset: UInt32 = 0

    static let none = Location()
    static let byteCount = 8
}

extension ByteBuilder {
    mutating func append(_ location: Location) {
        append(location.size)
        append(location.offset)
    }

    /// A GUID: the UUID's first three fields as little-endian integers.
    mutating func appendGUID(_ uuid: Epitaph.ID?) {
        guard let uuid else { return appendZeros(16) }
        let bytes = uuid.bytes
        for index in GUID.byteOrder { append(bytes[index]) }
    }
}

enum GUID {
    /// The UUID's byte for each byte of a GUID; the mapping is its own inverse.
    static let byteOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
}

extension ByteCursor {
    mutating func readLocation() throws(TruncatedRead) -> Location {
        Location(size: try read(UInt32.self), offset: try read(UInt32.self))
    }

    mutating func readGUID() throws(TruncatedRead) -> Epitaph.ID? {
        let guid = try readSlice(count: 16).array
        guard guid.contains(where: { $0 != 0 }) else { return nil }
        return Epitaph.ID(bytes: GUID.byteOrder.map { guid[$0] })
    }
}
