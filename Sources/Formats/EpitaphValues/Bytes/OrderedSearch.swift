// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection where Index == Int {
    /// How many leading elements satisfy `isBefore`, if all that do come first; by binary search.
    @inlinable
    package func prefixCount(where isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[startIndex + middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
