// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

package enum Parts {
    package static func section(
        _ id: String, _ title: String, note: String? = nil,
        @MarkupBuilder content: () -> Markup
    ) -> Markup {
        element("section", .id(id), Attribute("aria-labelledby", id + "-title")) {
            element("h2", .id(id + "-title")) { title }
            if let note { element("p", .class("note")) { note } }
            content()
        }
    }

    package static func code(_ text: String, class name: String? = nil) -> Markup {
        Markup(
            element: "code", name.map { [.class($0)] } ?? [], content: Markup(text: text))
    }

    /// The full name appears when the pointer is over a shorter one.
    static func function(_ name: String, whole: String?) -> Markup {
        guard let whole, whole != name, !name.hasPrefix(whole) else { return code(name) }
        return Markup(
            element: "code",
            [Attribute("title", String(whole.unicodeScalars.prefix(Markup.longestText)))],
            content: Markup(text: name))
    }

    package static func tag(_ text: String, _ kind: String = "") -> Markup {
        element("span", .class(kind.isEmpty ? "tag" : "tag \(kind)")) { text }
    }

    /// After a blank; nil unless it applies.
    package static func tag(_ text: String, _ kind: String = "", if applies: Bool) -> Markup? {
        applies ? MarkupBuilder.buildArray([Markup(text: " "), tag(text, kind)]) : nil
    }

    /// Backquoted parts become code.
    static func prose(_ text: String) -> Markup {
        let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
        // A backquote without a partner is printed as it is.
        guard pieces.count % 2 == 1, pieces.count < 100 else { return Markup(text: text) }
        return MarkupBuilder.buildArray(
            pieces.enumerated().map { index, piece in
                index % 2 == 0 ? Markup(text: String(piece)) : code(String(piece))
            })
    }

    package static func hint(_ text: String?) -> Markup? {
        text.map { Markup(element: "span", [.class("hint")], content: Markup(text: $0)) }
    }

    /// Machine-readable too, if the time has such a form.
    package static func time(_ time: Timestamp) -> Markup {
        let stamp = UTCTime.timestamp(time)
        let attributes = stamp == "-" ? [] : [Attribute("datetime", stamp)]
        return Markup(
            element: "time", attributes, content: Markup(text: UTCTime.text(time)))
    }

    /// Scrolls by itself if the page is too narrow.
    package static func table(
        _ label: String, class name: String, headings: [String],
        @MarkupBuilder rows: () -> Markup
    ) -> Markup {
        element(
            "div", .class("scroll"), Attribute("role", "region"),
            Attribute("aria-label", label), Attribute("tabindex", "0")
        ) {
            element("table", .class(name)) {
                element("thead") {
                    element("tr") {
                        for heading in headings {
                            element("th", Attribute("scope", "col")) { heading }
                        }
                    }
                }
                element("tbody") { rows() }
            }
        }
    }

    /// A table row with its subject in the first cell.
    package static func row(
        _ subject: String, class name: String? = nil, @MarkupBuilder cells: () -> Markup
    ) -> Markup {
        row(Markup(text: subject), class: name, cells: cells)
    }

    package static func row(
        _ subject: Markup, class name: String? = nil, @MarkupBuilder cells: () -> Markup
    ) -> Markup {
        Markup(
            element: "tr", name.map { [.class($0)] } ?? [],
            content: MarkupBuilder.buildArray([
                element("th", Attribute("scope", "row")) { subject }, cells(),
            ]))
    }

    static func facts(_ rows: [ReportOutline.Row]) -> Markup {
        facts(rows.map { ($0.label, $0.isCode ? code($0.value) : Markup(text: $0.value)) })
    }

    package static func facts(_ pairs: [(label: String, value: Markup)]) -> Markup {
        element("dl", .class("facts")) {
            for pair in pairs {
                element("div") {
                    element("dt") { pair.label }
                    element("dd") { pair.value }
                }
            }
        }
    }

    /// The note on a list that is not complete.
    static func leftOut(_ count: Int, _ things: String) -> Markup? {
        guard count > 0 else { return nil }
        return element("p", .class("note")) {
            "\(count.grouped) more \(things) are left out here; the JSON form of this report has "
                + "them all."
        }
    }

    package static func folded(_ summary: Markup, @MarkupBuilder content: () -> Markup) -> Markup {
        element("details") {
            element("summary") { summary }
            element("div", .class("inside")) { content() }
        }
    }

    static func sentence(_ clause: String) -> String {
        clause.prefix(1).uppercased() + clause.dropFirst() + "."
    }

    /// Escapes each line separately.
    static func lines(_ text: String) -> Markup {
        let shown = text.unicodeScalars.prefix(Markup.longestText * 4)
        var lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return element("pre", Attribute("tabindex", "0")) {
            for line in lines {
                element("span", .class("line")) { String(line) }
            }
            if text.unicodeScalars.count > shown.count {
                element("span", .class("cut")) {
                    "… \((text.unicodeScalars.count - shown.count).grouped) more characters"
                }
            }
        }
    }
}
