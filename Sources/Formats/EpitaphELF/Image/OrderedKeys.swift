// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// Stable; at most 2^32 elements. A radix sort: symbol tables have millions of entries, and
    /// comparisons would be most of the time that reading one takes.
    func sorted(byKey key: (Element) -> UInt64) -> [Element] {
        let keys = map(key)
        return keys.withUnsafeBufferPointer { $0.sortedPlaces() }.map { self[Int($0)] }
    }
}

// Buffers and `while`: a build for debugging calls a function for each step of an array's iterator.
extension UnsafeBufferPointer<UInt64> {
    fileprivate func sortedPlaces() -> [UInt32] {
        var places = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: count)
        var next = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: count)
        let starts = UnsafeMutableBufferPointer<Int>.allocate(capacity: 1 << 11 + 1)
        defer {
            places.deallocate()
            next.deallocate()
            starts.deallocate()
        }
        var used: UInt64 = 0
        var index = 0
        while index < count {
            used |= self[index]
            places[index] = UInt32(index)
            index += 1
        }
        var shift: UInt64 = 0
        while shift < 64, used >> shift != 0 {
            starts.initialize(repeating: 0)
            index = 0
            while index < count {
                starts[digit(index, shift) + 1] += 1
                index += 1
            }
            index = 1
            while index < starts.count {
                starts[index] += starts[index - 1]
                index += 1
            }
            index = 0
            while index < count {
                let digit = digit(Int(places[index]), shift)
                next[starts[digit]] = places[index]
                starts[digit] += 1
                index += 1
            }
            swap(&places, &next)
            shift += 11
        }
        return [UInt32](places)
    }

    private func digit(_ place: Int, _ shift: UInt64) -> Int { Int(self[place] >> shift & 0x7ff) }
}
