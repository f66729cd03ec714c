// SPDX-License-Identifier: Apache-2.0

/// draft-eastlake-fnv, the same everywhere and in every version. Not for secrets.
@usableFromInline
package struct FNV1a: Sendable {
    @usableFromInline
    package var value: UInt64

    @inlinable
    package init(basis: UInt64 = 14_695_981_039_346_656_037) {
        value = basis
    }

    @inlinable
    package init(_ bytes: some Sequence<UInt8>) {
        self.init()
        combine(bytes)
    }

    @inlinable
    package mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 1_099_511_628_211
    }

    @inlinable
    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    package var hexDigits: String {
        withUnsafeBytes(of: value.bigEndian) { $0.hexDigits }
    }
}
