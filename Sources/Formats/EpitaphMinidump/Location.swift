// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_LOCATION_DESCRIPTOR: a count of bytes and a file offset. All zero for nothing.
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

    /// A GUID: the first three fields of the UUID, big-endian in its text, are little-endian
    /// integers here.
    mutating func appendGUID(_ uuid: Epitaph.ID?) {
        guard let uuid else { return appendZeros(16) }
        let bytes = uuid.bytes
        for index in GUID.byteOrder { append(bytes[index]) }
    }
}

enum GUID {
    /// Where each byte of a GUID lies in the UUID; the mapping is its own inverse.
    static let byteOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
}

extension ByteCursor {
    mutating func readLocation() throws(TruncatedRead) -> Location {
        Location(size: try read(UInt32.self), offset: try read(UInt32.self))
    }

    /// Nil for the GUID of zeros, which stands for none.
    mutating func readGUID() throws(TruncatedRead) -> Epitaph.ID? {
        let guid = try readSlice(count: 16).array
        guard guid.contains(where: { $0 != 0 }) else { return nil }
        return Epitaph.ID(bytes: GUID.byteOrder.map { guid[$0] })
    }
}
