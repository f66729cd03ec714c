// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The life of the process, breadcrumbs, and annotations whose lines begin with a time.
enum TimeLineSection {
    /// The latest events are shown: all breadcrumbs that a program can keep, and some more.
    static let mostEvents = 1_200

    static func markup(_ snapshot: ProcessSnapshot) -> Markup? {
        let events = TimeLineEvent.all(of: snapshot)
        // A single event is not a time line.
        guard events.count > 1 || !snapshot.breadcrumbs.isEmpty else { return nil }
        return Parts.section("time-line", "Time line") {
            Parts.leftOut(events.count - mostEvents, "earlier events")
            element("ol", .class("time-line")) {
                for event in events.suffix(mostEvents) { markup(event) }
            }
        }
    }

    private static func markup(_ event: TimeLineEvent) -> Markup {
        element("li", .class(event.kind)) {
            Parts.time(event.time)
            if let span = event.span { element("span", .class("before")) { span } }
            element("span", .class("event")) {
                if let level = event.level {
                    Parts.tag(level.word, level.tagKind)
                    " "
                }
                if let category = event.category {
                    element("b") { category }
                    " "
                }
                event.text
                Parts.hint(event.details)
                Parts.tag("task", if: event.isOfTask)
                Parts.tag("cut", if: event.isCut)
                Parts.hint(event.remark)
            }
        }
    }
}

extension Breadcrumb.Level {
    fileprivate var tagKind: String {
        switch self {
        case .debug, .info: ""
        case .warning: "doubt"
        case .error, .fatal: "bad"
        }
    }
}
