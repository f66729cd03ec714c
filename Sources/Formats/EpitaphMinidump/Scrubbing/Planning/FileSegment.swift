// SPDX-License-Identifier: Apache-2.0

/// A run of bytes of the scrubbed file and their source.
struct FileSegment: Sendable {
    enum Content: Sendable, Equatable {
        case copy
        case bytes([UInt8], from: Int)
        case fill(UInt8)
        /// The source, with words replaced.
        case sanitized(SanitizedMemory)
        case pattern(SanitizedMemory)
    }

    var range: Range<Int>
    var content: Content
}

extension [FileSegment] {
    func overlaid(with top: [FileSegment]) -> [FileSegment] {
        var result: [FileSegment] = []
        result.reserveCapacity(count + top.count)
        var topIndex = 0
        for segment in self {
            var start = segment.range.lowerBound
            while topIndex < top.count, top[topIndex].range.lowerBound < segment.range.upperBound {
                let cover = top[topIndex]
                if cover.range.lowerBound > start {
                    result.append(
                        FileSegment(
                            range: start..<cover.range.lowerBound, content: segment.content))
                }
                start = Swift.max(start, cover.range.upperBound)
                // It may also cover the next segment.
                guard cover.range.upperBound <= segment.range.upperBound else { break }
                result.append(cover)
                topIndex += 1
            }
            if start < segment.range.upperBound {
                result.append(
                    FileSegment(
                        range: start..<segment.range.upperBound, content: segment.content))
            }
        }
        result += top[topIndex...]
        return result
    }
}
