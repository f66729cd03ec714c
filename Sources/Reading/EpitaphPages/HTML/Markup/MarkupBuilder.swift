// SPDX-License-Identifier: Apache-2.0

/// Makes the source of a section look like the section: elements in braces, text as strings.
@resultBuilder
package enum MarkupBuilder {
    package static func buildExpression(_ text: String) -> Markup { Markup(text: text) }
    package static func buildExpression(_ text: String?) -> Markup {
        text.map { Markup(text: $0) } ?? Markup()
    }
    package static func buildExpression(_ markup: Markup) -> Markup { markup }
    package static func buildExpression(_ markup: Markup?) -> Markup { markup ?? Markup() }
    package static func buildExpression(_ parts: [Markup]) -> Markup { buildArray(parts) }
    package static func buildBlock(_ parts: Markup...) -> Markup { buildArray(parts) }
    package static func buildOptional(_ part: Markup?) -> Markup { part ?? Markup() }
    package static func buildEither(first: Markup) -> Markup { first }
    package static func buildEither(second: Markup) -> Markup { second }

    package static func buildArray(_ parts: [Markup]) -> Markup {
        var whole = Markup()
        for part in parts { whole.append(part) }
        return whole
    }
}

/// `<name attributes>content</name>`
package func element(
    _ name: StaticString, _ attributes: Attribute...,
    @MarkupBuilder content: () -> Markup = { Markup() }
) -> Markup {
    Markup(element: name, attributes, content: content())
}

/// An element that has no content and no end tag: HTML, 13.1.2, void elements.
package func voidElement(_ name: StaticString, _ attributes: Attribute...) -> Markup {
    Markup(element: name, attributes)
}
