// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection where Index == Int {
    /// How many elements at the beginning satisfy `isBefore`, found by halving: once one does not,
    /// none behind it may. Where that is not so the answer is some number from 0 to `count`.
    @inlinable
    public func prefixCount(where isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[startIndex + middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
