// SPDX-License-Identifier: Apache-2.0

extension Dictionary where Key: Comparable {
    /// Sorting pairs would compile the sort anew for each type of value, 4 KB each time.
    package var inKeyOrder: [(key: Key, value: Value)] {
        keys.sorted().compactMap { key in self[key].map { (key, $0) } }
    }
}
