// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Bytes of the crashed process and the address they had there.
public struct MemoryRegion: Sendable, Equatable {
    public var address: UInt64
    public var bytes: ByteSlice

    /// A region that would wrap around the address space is cut at its end.
    public init(address: UInt64, bytes: ByteSlice) {
        self.address = address
        let room = UInt64.max - address
        self.bytes = UInt64(bytes.count) > room ? bytes.slice(from: 0, length: Int(room)) : bytes
    }

    public var addressRange: Range<UInt64> {
        address..<address + UInt64(bytes.count)
    }
}
