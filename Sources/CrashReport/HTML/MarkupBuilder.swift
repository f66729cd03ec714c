// SPDX-License-Identifier: Apache-2.0

/// Lets the source of a section look like the section: elements in braces, text as strings.
@resultBuilder
enum MarkupBuilder {
    static func buildExpression(_ text: String) -> Markup { Markup(text: text) }
    static func buildExpression(_ text: String?) -> Markup {
        text.map { Markup(text: $0) } ?? Markup()
    }
    static func buildExpression(_ markup: Markup) -> Markup { markup }
    static func buildExpression(_ markup: Markup?) -> Markup { markup ?? Markup() }
    static func buildExpression(_ parts: [Markup]) -> Markup { buildArray(parts) }
    static func buildBlock(_ parts: Markup...) -> Markup { buildArray(parts) }
    static func buildOptional(_ part: Markup?) -> Markup { part ?? Markup() }
    static func buildEither(first: Markup) -> Markup { first }
    static func buildEither(second: Markup) -> Markup { second }

    static func buildArray(_ parts: [Markup]) -> Markup {
        var whole = Markup()
        for part in parts { whole.append(part) }
        return whole
    }
}

/// `<name attributes>content</name>`
func element(
    _ name: StaticString, _ attributes: Attribute...,
    @MarkupBuilder content: () -> Markup = { Markup() }
) -> Markup {
    Markup(element: name, attributes, content: content())
}

/// An element that has no content and no end tag: HTML, 13.1.2, void elements.
func voidElement(_ name: StaticString, _ attributes: Attribute...) -> Markup {
    Markup(element: name, attributes)
}

/// What several sections are built from.
enum Parts {
    /// A section with a heading that the navigation leads to.
    static func section(
        _ id: String, _ title: String, note: String? = nil,
        @MarkupBuilder content: () -> Markup
    ) -> Markup {
        element("section", .id(id), Attribute("aria-labelledby", id + "-title")) {
            element("h2", .id(id + "-title")) { title }
            if let note { element("p", .class("note")) { note } }
            content()
        }
    }

    static func code(_ text: String, class name: String? = nil) -> Markup {
        Markup(
            element: "code", name.map { [.class($0)] } ?? [], content: Markup(text: text))
    }

    static func tag(_ text: String, _ kind: String = "") -> Markup {
        element("span", .class(kind.isEmpty ? "tag" : "tag \(kind)")) { text }
    }

    /// A remark beside something; nothing where there is none.
    static func hint(_ text: String?) -> Markup? {
        text.map { Markup(element: "span", [.class("hint")], content: Markup(text: $0)) }
    }

    /// A table that scrolls by itself where the page is too narrow for it.
    static func table(
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

    static func folded(
        _ summary: Markup, isOpen: Bool = false, @MarkupBuilder content: () -> Markup
    ) -> Markup {
        let attributes = isOpen ? [Attribute("open", "")] : []
        return Markup(
            element: "details", attributes,
            content: MarkupBuilder.buildArray([
                element("summary") { summary }, element("div", .class("inside")) { content() },
            ]))
    }

    /// A text with line breaks, each line safe by itself.
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
                    "… \(grouped(text.unicodeScalars.count - shown.count)) more characters"
                }
            }
        }
    }
}
