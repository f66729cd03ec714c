// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

package struct TimeLineEvent {
    package var time: Timestamp
    package var text: String
    /// CSS class of its mark.
    package var kind: String
    package var span: String?
    // Breadcrumbs only.
    package var level: Breadcrumb.Level?
    package var category: String?
    package var isCut = false
    package var remark: String?
    package var details: String?
    package var isOfTask = false

    package init(_ time: Timestamp, _ text: String, kind: String, end: Timestamp?) {
        self.time = time
        self.text = text
        self.kind = kind
        if let end, time < end {
            span = UTCTime.span(seconds: end.seconds(since: time)) + " before"
        }
    }

    package init(_ timed: TimedBreadcrumb) {
        let breadcrumb = timed.breadcrumb
        time = timed.time
        text = breadcrumb.message
        kind = "breadcrumb \(breadcrumb.level.word)"
        span = timed.spanWords
        level = breadcrumb.level
        category = breadcrumb.category.isEmpty ? nil : breadcrumb.category
        isCut = breadcrumb.isCut
        remark = timed.clockWords
        details = breadcrumb.detailWords
        isOfTask = breadcrumb.isOfTask
    }

    /// Sorted by time; at equal times breadcrumbs come first.
    package static func all(of snapshot: ProcessSnapshot) -> [TimeLineEvent] {
        let breadcrumbs = TimedBreadcrumb.all(of: snapshot).map { TimeLineEvent($0) }
        let end = snapshot.process.snapshotTime
        let told = snapshot.annotations.flatMap { events(in: $0, end) }
        return (breadcrumbs + told + life(of: snapshot))
            .filter { UTCTime.timestamp($0.time) != "-" }
            .enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    private static func life(of snapshot: ProcessSnapshot) -> [TimeLineEvent] {
        let crashed = snapshot.exception != nil
        let end = snapshot.process.snapshotTime
        let known: [(Timestamp?, String, String)] = [
            (snapshot.process.startTime, "The process started", "start"),
            (snapshot.launch?.time, "Epitaph began to watch over it", "start"),
            (end, crashed ? "It crashed" : "The dump was taken", crashed ? "crash" : "end"),
            (snapshot.launch?.cleanExitTime, "It said that it ended well", "end"),
        ]
        return known.compactMap { time, text, kind in
            time.map { TimeLineEvent($0, text, kind: kind, end: end) }
        }
    }

    /// Annotation lines that begin with a time, such as a program's own trail.
    private static func events(in annotation: Annotation, _ end: Timestamp?) -> [TimeLineEvent] {
        annotation.value.unicodeScalars.split(separator: "\n").compactMap { line in
            TimedLine(String(line)).map {
                TimeLineEvent(
                    $0.time, "\(annotation.name): \($0.text)", kind: "trail", end: end)
            }
        }
    }
}
