// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A piece of a page that fits between any two tags. Made only from escaped text and elements named
/// in the source code, so nothing from outside can become a tag, an attribute or a script.
package struct Markup: Sendable {
    package private(set) var source = ""

    /// A dump may contain any amount of text.
    package static let longestText = 10_000

    package init() {}

    /// Makes invisible characters visible, as on a terminal.
    package init(text: String) {
        guard text.utf8.count > Self.longestText else {
            source = Self.escaped(text)
            return
        }
        let shown = text.unicodeScalars.prefix(Self.longestText)
        source = Self.escaped(String(shown))
        let missing = text.unicodeScalars.count - shown.count
        guard missing > 0 else { return }
        source += "<span class=\"cut\"> … \(missing.grouped) more characters</span>"
    }

    package init(
        element name: StaticString, _ attributes: [Attribute] = [], content: Markup? = nil
    ) {
        source = "<\(name)"
        for attribute in attributes {
            source += " \(attribute.name)=\"\(Self.escaped(attribute.value))\""
        }
        source += ">"
        guard let content else { return }
        source += content.source
        source += "</\(name)>"
    }

    /// Text of the page itself without markup, for example a style sheet.
    package init(trusted texts: [StaticString]) {
        for text in texts { source += "\(text)" }
    }

    package mutating func append(_ other: Markup) {
        source += other.source
    }

    // Begin or end a tag, a character reference or an attribute: HTML, 13.1.2 and 13.1.4.
    private static func escaped(_ text: String) -> String {
        text.printable(replacing: ["&", "<", ">", "\"", "'"]) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: scalar.escaped
            }
        }
    }
}

/// The value may come from anywhere.
package struct Attribute: Sendable {
    let name: StaticString
    let value: String

    package init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }

    package static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
    package static func id(_ value: String) -> Attribute { Attribute("id", value) }
}

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

/// No content and no end tag: HTML, 13.1.2, void elements.
package func voidElement(_ name: StaticString, _ attributes: Attribute...) -> Markup {
    Markup(element: name, attributes)
}
