// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection where Index == Int {
    /// The number of leading elements that satisfy `isBefore`, by binary search. If they do not all
    /// come first, the result is some number from 0 to `count`.
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
