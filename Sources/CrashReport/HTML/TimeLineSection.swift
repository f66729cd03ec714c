// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Snapshot

/// What happened before the crash, as far as the dump has times for it.
enum TimeLineSection {
    /// The latest ones, when there are more.
    static let mostEvents = 500

    struct Event {
        var time: Date
        var text: String
        var kind: String
    }

    static func markup(_ snapshot: ProcessSnapshot) -> Markup? {
        let events = events(snapshot)
        // One moment is no line.
        guard events.count > 1 else { return nil }
        let end = snapshot.process.snapshotTime
        return Parts.section("time-line", "Time line") {
            MapSection.leftOut(events.count - mostEvents, "earlier events")
            element("ol", .class("time-line")) {
                for event in events.suffix(mostEvents) { markup(event, end) }
            }
        }
    }

    private static func markup(_ event: Event, _ end: Date?) -> Markup {
        element("li", .class(event.kind)) {
            Parts.time(event.time)
            if let end, event.time < end {
                element("span", .class("before")) {
                    UTCTime.span(seconds: end.timeIntervalSince(event.time)) + " before"
                }
            }
            element("span", .class("event")) { event.text }
        }
    }

    static func events(_ snapshot: ProcessSnapshot) -> [Event] {
        let crashed = snapshot.exception != nil
        let known: [(Date?, String, String)] = [
            (snapshot.process.startTime, "The process started", "start"),
            (snapshot.launch?.time, "Epitaph began to watch over it", "start"),
            (
                snapshot.process.snapshotTime, crashed ? "It crashed" : "The dump was taken",
                crashed ? "crash" : "end"
            ),
            (snapshot.launch?.cleanExitTime, "It said that it ended well", "end"),
        ]
        let own = known.compactMap { time, text, kind in
            time.map { Event(time: $0, text: text, kind: kind) }
        }
        let told = snapshot.annotations.flatMap(events(in:))
        return (told + own).filter { UTCTime.timestamp($0.time) != "-" }
            .enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    /// Lines of an annotation that begin with a time, as a program's own trail of what it did.
    private static func events(in annotation: Annotation) -> [Event] {
        annotation.value.unicodeScalars.split(separator: "\n").compactMap { line in
            TimedLine(String(line)).map {
                Event(time: $0.time, text: "\(annotation.name): \($0.text)", kind: "trail")
            }
        }
    }
}
