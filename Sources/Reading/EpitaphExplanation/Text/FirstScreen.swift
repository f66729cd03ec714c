// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What is visible without scrolling: what died, why, where, and the last breadcrumbs.
///
/// Parts that would push the others off the screen are cut here and repeated in full below.
package struct FirstScreen {
    /// 24 lines of the smallest common terminal, less one for the prompt behind the report.
    package static let height = 23

    private(set) var sections: [TextSection] = []
    /// The parts that were cut, in full.
    private(set) var wholes: [TextSection] = []

    /// - Parameters:
    ///   - fixed: never cut.
    ///   - flexible: in the order of the screen.
    ///   - form: determines how many lines a part takes.
    package init(fixed: [TextSection], flexible: [FlexibleSection], form: TextForm) {
        let fixed = fixed.filter { !$0.isEmpty }
        let flexible = flexible.filter { !$0.section.isEmpty }
        // Each part but the last is followed by an empty line.
        let used = fixed.reduce(-1) { $0 + $1.rendered(form).count + 1 }
        let heights = Self.heights(
            flexible, room: Self.height - used - flexible.count * 2, form: form)
        sections = fixed
        for (part, height) in zip(flexible, heights) {
            guard let cut = part.cut(to: height, form) else {
                sections.append(part.section)
                continue
            }
            sections.append(cut)
            wholes.append(part.section)
        }
    }

    /// Lines of each body: first what each must have, then as much as there is room for, the most
    /// important part first.
    private static func heights(
        _ parts: [FlexibleSection], room: Int, form: TextForm
    ) -> [Int] {
        let wanted = parts.map { $0.bodyHeight(form) }
        var heights = zip(parts, wanted).map { min($0.leastHeight, $1) }
        var left = room - heights.reduce(0, +)
        let order = parts.indices.sorted { parts[$0].importance > parts[$1].importance }
        for index in order where left > 0 {
            let more = min(left, wanted[index] - heights[index])
            heights[index] += more
            left -= more
        }
        return heights
    }
}

/// A part of the first screen that can be cut.
package struct FlexibleSection {
    /// All of it.
    package var section: TextSection
    /// What is cut instead if all of it is too long; nil for the part itself.
    package var brief: TextSection?
    /// Lines of its body that are always shown.
    package var leastHeight: Int
    /// The part with the highest importance gets remaining room first.
    package var importance: Int
    /// `this stack`, for the line that says how much is left out.
    package var unit: String

    package func bodyHeight(_ form: TextForm) -> Int {
        section.body.reduce(0) { $0 + $1.rendered(form).count }
    }

    /// The part with at most `height` lines of body; nil if it need not be cut.
    package func cut(to height: Int, _ form: TextForm) -> TextSection? {
        guard bodyHeight(form) > height else { return nil }
        let source = brief ?? section
        var cut = source
        cut.body = []
        // One line says that there are more.
        var left = max(height - 1, 1)
        for line in source.body {
            let count = line.rendered(form).count
            guard count <= left || cut.body.isEmpty else { break }
            cut.body.append(line)
            left -= count
        }
        let hidden = source.body.count - cut.body.count
        guard hidden > 0 || brief != nil else { return nil }
        let more = hidden > 0 ? "\(counted(hidden, "more line")) of \(unit); " : ""
        cut.body.append(TextLine("  … \(more)all of it below", .faint))
        return cut
    }
}
