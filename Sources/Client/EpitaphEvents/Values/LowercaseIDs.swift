// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Ids are written in lower case, as in the file names of a database; UUID's own coding uses
/// capitals. The code that the compiler synthesises prefers these two functions, because they are
/// more specialised than those of the standard library.
extension KeyedEncodingContainer {
    mutating func encode(_ id: UUID, forKey key: Key) throws {
        try encode(id.uuidString.lowercased(), forKey: key)
    }

    mutating func encodeIfPresent(_ id: UUID?, forKey key: Key) throws {
        try encodeIfPresent(id?.uuidString.lowercased(), forKey: key)
    }
}
