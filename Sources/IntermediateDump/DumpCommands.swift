// SPDX-License-Identifier: Apache-2.0

import CDumpFormat

extension epitaph_dump_command {
    var byte: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}

extension DumpKey {
    /// Stands for no key: the root map and the maps in arrays have none.
    static var none: DumpKey { DumpKey(rawValue: 0) }
}

extension BinaryInteger {
    /// `0x` and lower-case digits.
    var hex: String { "0x" + String(self, radix: 16) }
}
