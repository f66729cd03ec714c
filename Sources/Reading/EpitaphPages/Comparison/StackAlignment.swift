// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Aligns stacks by the longest common subsequence, as diff(1) does. Frames are equal if function
/// and module are: addresses change with every start, and lines with every build.
struct StackAlignment {
    let rows: [ReportComparison.Row]

    /// Time and memory grow with the product of both lengths. Stacks are folded first, so few are
    /// longer; their outer frames are summed up.
    private static let limit = 512

    init(_ left: ReportStack?, _ right: ReportStack?, names: ReportFrame.Names) {
        let one = Self.lines(left, names)
        let other = Self.lines(right, names)
        let common = Self.commonPairs(one.map(\.key), other.map(\.key))
        var rows: [ReportComparison.Row?] = []
        var (i, j) = (0, 0)
        func leaveGap(before end: (Int, Int)) {
            rows += one[i..<end.0].map { .init(nil, $0.text, nil) }
            rows += other[j..<end.1].map { .init(nil, nil, $0.text) }
        }
        for (left, right) in common {
            leaveGap(before: (left, right))
            rows.append(.init(nil, one[left].text, other[right].text))
            (i, j) = (left + 1, right + 1)
        }
        leaveGap(before: (one.count, other.count))
        self.rows = rows.compactMap(\.self)
    }

    private struct Line {
        var key: String
        var text: String
    }

    private static func lines(_ stack: ReportStack?, _ names: ReportFrame.Names) -> [Line] {
        guard let stack else { return [] }
        let outline = StackOutline(stack, showsOwn: names == .full)
        var lines = outline.lines.map { line in
            switch line {
            case .frame(let frame): Self.line(frame, names)
            case .folded(let fold): Line(key: "folded \(fold.function ?? "")", text: fold.text)
            }
        }
        if lines.count > limit {
            let rest = lines.count - limit
            lines.removeLast(rest)
            lines.append(Line(key: "more", text: "… \(counted(rest, "more line"))"))
        }
        return lines + outline.remarks.map { Line(key: $0, text: $0) }
    }

    private static func line(_ frame: ReportFrame, _ names: ReportFrame.Names) -> Line {
        let outline = FrameOutline(frame, names)
        let module = frame.place?.moduleName ?? ""
        let place =
            frame.source.map { "at \($0.fileName)\($0.numbers)" } ?? outline.placeWords
        let inlined = frame.isInlined ? " (inlined)" : ""
        // Unnamed frames are compared by their offset in the module.
        let key = outline.name.map { "\($0) \(module)" } ?? outline.placeWords
        return Line(key: key, text: "\(outline.nameOrStandIn) \(place)\(inlined)")
    }

    /// Indices of the longest common subsequence, ascending.
    private static func commonPairs(_ left: [String], _ right: [String]) -> [(Int, Int)] {
        let columns = right.count + 1
        var lengths = [Int32](repeating: 0, count: (left.count + 1) * columns)
        for i in left.indices.reversed() {
            for j in right.indices.reversed() {
                lengths[i * columns + j] =
                    left[i] == right[j]
                    ? lengths[(i + 1) * columns + j + 1] + 1
                    : max(lengths[(i + 1) * columns + j], lengths[i * columns + j + 1])
            }
        }
        var pairs: [(Int, Int)] = []
        var (i, j) = (0, 0)
        while i < left.count, j < right.count {
            if left[i] == right[j] {
                pairs.append((i, j))
                i += 1
                j += 1
            } else if lengths[(i + 1) * columns + j] >= lengths[i * columns + j + 1] {
                i += 1
            } else {
                j += 1
            }
        }
        return pairs
    }
}
