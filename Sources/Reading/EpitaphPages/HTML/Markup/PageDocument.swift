// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A whole page: head, masthead, navigation, sections and footer. The page needs no network,
/// scripts or other files, and its policy forbids them.
package struct PageDocument {
    /// The window's title, as text.
    package let title: String
    /// The page's word for itself: `report`.
    package let subject: String
    package let masthead: Markup
    package let sections: [PageSection]
    /// Rules added to those of all pages.
    package let furtherStyle: Markup

    package init(
        title: String, subject: String, masthead: Markup, sections: [PageSection],
        furtherStyle: Markup = Markup()
    ) {
        self.title = title
        self.subject = subject
        self.masthead = masthead
        self.sections = sections
        self.furtherStyle = furtherStyle
    }

    /// The text in pieces, never in memory as a whole.
    package var pieces: [String] {
        // Text from outside cannot put this character into the page.
        let gap = "\u{0}"
        let document = element("html", Attribute("lang", "en")) {
            head
            element("body") {
                element("a", .class("skip"), Attribute("href", "#report")) {
                    "Skip to the \(subject)"
                }
                element("header", .class("masthead")) { masthead }
                element("div", .class("layout")) {
                    navigation
                    element("main", .id("report"), Attribute("translate", "no")) {
                        Markup(trusted: ["\u{0}"])
                    }
                }
                element("footer") {
                    "Written by Epitaph. The page holds everything it shows: it loads nothing and "
                        + "runs no scripts."
                }
            }
        }
        let frame = document.source.split(separator: gap, maxSplits: 1)
        guard frame.count == 2 else { return [] }
        return ["<!DOCTYPE html>\n" + frame[0]] + sections.map(\.markup.source)
            + [frame[1] + "\n"]
    }

    private var head: Markup {
        element("head") {
            voidElement("meta", Attribute("charset", "utf-8"))
            // The page cannot load, send or run anything.
            voidElement(
                "meta", Attribute("http-equiv", "Content-Security-Policy"),
                Attribute(
                    "content",
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                        + "form-action 'none'"))
            voidElement(
                "meta", Attribute("name", "viewport"),
                Attribute("content", "width=device-width, initial-scale=1"))
            voidElement(
                "meta", Attribute("name", "color-scheme"), Attribute("content", "light dark"))
            voidElement(
                "meta", Attribute("name", "referrer"), Attribute("content", "no-referrer"))
            voidElement("meta", Attribute("name", "generator"), Attribute("content", "Epitaph"))
            element("title") { title }
            Markup(
                element: "style",
                content: MarkupBuilder.buildArray([StyleSheet.markup, furtherStyle]))
        }
    }

    private var navigation: Markup {
        element("nav", Attribute("aria-label", "Parts of this \(subject)")) {
            element("ul") {
                for section in sections {
                    element("li") {
                        element("a", Attribute("href", "#" + section.id)) {
                            section.title
                            if let count = section.count {
                                " "
                                element("span", .class("count")) { count.grouped }
                            }
                        }
                    }
                }
            }
        }
    }
}

package struct PageSection {
    let id: String
    let title: String
    let count: Int?
    let markup: Markup

    /// Nil if there is nothing to show.
    package init?(_ id: String, _ title: String, count: Int? = nil, _ markup: Markup?) {
        guard let markup else { return nil }
        self.id = id
        self.title = title
        self.count = count
        self.markup = markup
    }
}
