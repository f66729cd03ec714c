// SPDX-License-Identifier: Apache-2.0

package enum OrderedRanges {
    package static func merged<Bound>(_ ranges: [Range<Bound>]) -> [Range<Bound>] {
        var result: [Range<Bound>] = []
        let sorted = ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        for range in sorted {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    package static func common<Bound>(_ range: Range<Bound>, with ranges: [Range<Bound>]) -> [Range<
        Bound
    >] {
        let first = ranges.prefixCount { $0.upperBound <= range.lowerBound }
        var result: [Range<Bound>] = []
        for other in ranges[first...] {
            guard other.lowerBound < range.upperBound else { break }
            let part = other.clamped(to: range)
            if !part.isEmpty { result.append(part) }
        }
        return result
    }

    package static func gaps<Bound>(in range: Range<Bound>, between ranges: [Range<Bound>])
        -> [Range<
            Bound
        >]
    {
        var result: [Range<Bound>] = []
        var start = range.lowerBound
        for other in common(range, with: ranges) {
            if start < other.lowerBound { result.append(start..<other.lowerBound) }
            start = other.upperBound
        }
        if start < range.upperBound { result.append(start..<range.upperBound) }
        return result
    }

    package static func firstCommon<Bound>(
        _ left: [Range<Bound>], _ right: [Range<Bound>]
    ) -> Bound? {
        var (leftIndex, rightIndex) = (0, 0)
        while leftIndex < left.count, rightIndex < right.count {
            let (one, other) = (left[leftIndex], right[rightIndex])
            if one.overlaps(other) { return max(one.lowerBound, other.lowerBound) }
            if one.upperBound <= other.lowerBound { leftIndex += 1 } else { rightIndex += 1 }
        }
        return nil
    }
}
