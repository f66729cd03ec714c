// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// A crash as one HTML page for people: what died, why and where on the first screen, everything
/// else below. The page needs no network, no scripts and no other file, and its policy forbids all
/// three.
public struct HTMLReport: Sendable {
    /// What a page shows.
    public struct Options: Sendable {
        /// Threads besides the crashing one.
        public var threads = ThreadSelection.all
        /// Which of a function's names are shown; a short one has the whole one as its title.
        public var names = ReportFrame.Names.short

        /// All threads and short names unless given.
        public init(threads: ThreadSelection = .all, names: ReportFrame.Names = .short) {
            self.threads = threads
            self.names = names
        }
    }

    let explanation: CrashExplanation
    let options: Options

    /// A page about one crash. The work is done when its text or its pieces are read.
    public init(_ explanation: CrashExplanation, options: Options = .init()) {
        self.explanation = explanation
        self.options = options
    }

    private var outline: ReportOutline {
        ReportOutline(explanation: explanation, threads: options.threads, names: options.names)
    }

    /// The whole page, from its document type on.
    public var text: String { pieces.joined() }

    /// The same text in pieces, without the whole being held in memory.
    public var pieces: [String] {
        let sections = PageSection.all(of: outline)
        // Text from a dump cannot contain this character in the page.
        let gap = "\u{0}"
        let document = element("html", Attribute("lang", "en")) {
            head
            element("body") {
                element("a", .class("skip"), Attribute("href", "#report")) { "Skip to the report" }
                element("header", .class("masthead")) { SummarySection.masthead(outline) }
                element("div", .class("layout")) {
                    Self.navigation(sections)
                    element("main", .id("report"), Attribute("translate", "no")) {
                        Markup(trusted: "\u{0}")
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
            // The page cannot load, send or run anything, whatever a dump contains.
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
            element("title") { outline.headline }
            Markup(element: "style", content: StyleSheet.markup)
        }
    }

    private static func navigation(_ sections: [PageSection]) -> Markup {
        element("nav", Attribute("aria-label", "Parts of this report")) {
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
