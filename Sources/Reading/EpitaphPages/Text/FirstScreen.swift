// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The part visible without scrolling: what died, why, where, and the last breadcrumbs. Parts that
/// would push others off the screen are cut here and repeated in full below.
package struct FirstScreen {
    /// 24 lines of the smallest common terminal, less one for the prompt.
    package static let height = 23

    private(set) var sections: [TextSection] = []
    private(set) var wholes: [TextSection] = []

    /// - Parameter flexible: in screen order.
    package init(fixed: [TextSection], flexible: [FlexibleSection], form: TextForm) {
        let fixed = fixed.filter { !$0.isEmpty }
        let flexible = flexible.filter { !$0.section.isEmpty }
        // An empty line follows each part but the last.
        let used = fixed.reduce(-1) { $0 + $1.rendered(form).count + 1 }
        var shown = Array(flexible.indices)
        func overhead() -> Int { shown.reduce(0) { $0 + flexible[$1].overhead } }
        func least() -> Int {
            shown.reduce(0) { $0 + min(flexible[$1].leastHeight, flexible[$1].bodyHeight(form)) }
        }
        while shown.count > 1, used + overhead() + least() > Self.height {
            let least = shown.min { flexible[$0].importance < flexible[$1].importance }
            shown.removeAll { $0 == least }
        }
        let heights = Self.heights(
            shown.map { flexible[$0] }, room: Self.height - used - overhead(), form: form)
        sections = fixed
        for (index, part) in flexible.enumerated() {
            let height = shown.firstIndex(of: index).map { heights[$0] }
            if let height, let cut = part.cut(to: height, form) {
                sections.append(cut)
                wholes.append(part.section)
            } else if height == nil {
                wholes.append(part.section)
            } else {
                sections.append(part.section)
            }
        }
    }

    /// Lines of each body: the minimum for all, then the rest by importance.
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

package struct FlexibleSection {
    package var section: TextSection
    /// The form to cut if `section` is too long; nil for `section` itself.
    package var brief: TextSection?
    /// Lines of the body that are always shown.
    package var leastHeight: Int
    /// Higher importance gets remaining room first.
    package var importance: Int
    /// `this stack`, in the line that says how much is left out.
    package var unit: String

    /// Its heading, and the empty line before it.
    fileprivate var overhead: Int { section.heading == nil ? 1 : 2 }

    package func bodyHeight(_ form: TextForm) -> Int {
        section.body.reduce(0) { $0 + $1.rendered(form).count }
    }

    /// Nil if it need not be cut.
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
