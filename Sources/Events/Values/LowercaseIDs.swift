// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Ids are in lower case, as in the names of a database's files; UUID's own coding has capitals.
/// The coding that the compiler writes takes these two, which are more special than the standard
/// library's.
extension KeyedEncodingContainer {
    mutating func encode(_ id: UUID, forKey key: Key) throws {
        try encode(id.uuidString.lowercased(), forKey: key)
    }

    mutating func encodeIfPresent(_ id: UUID?, forKey key: Key) throws {
        try encodeIfPresent(id?.uuidString.lowercased(), forKey: key)
    }
}
