// SPDX-License-Identifier: Apache-2.0

/// FNV-1a with 64 bits, draft-eastlake-fnv: the same on every machine, in every process and in every
/// version, unlike Swift's own hashing. Not for secrets: whoever can try inputs finds the right one.
package struct FNV1a: Sendable {
    /// The hash of all bytes so far.
    package var value: UInt64

    /// - Parameter basis: the offset basis; another one makes another function of the same kind.
    package init(basis: UInt64 = 14_695_981_039_346_656_037) {
        value = basis
    }

    /// The hash of `bytes`.
    package init(_ bytes: some Sequence<UInt8>) {
        self.init()
        combine(bytes)
    }

    package mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 1_099_511_628_211
    }

    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    /// 16 lower-case digits.
    package var hexDigits: String {
        withUnsafeBytes(of: value.bigEndian) { $0.hexDigits }
    }
}
