// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

enum FrameMarkup {
    static func markup(
        _ frame: ReportFrame, _ modules: [ModuleSnapshot], _ names: ReportFrame.Names
    ) -> Markup {
        let outline = FrameOutline(frame, names)
        return element("li", .class(classes(frame, modules))) {
            element("span", .class("number")) { "\(frame.index)" }
            element("div") {
                element("div", .class("call")) {
                    if let name = outline.name {
                        Parts.function(name + outline.offset, whole: frame.function)
                    } else {
                        Parts.code(outline.nameOrStandIn, class: "unknown")
                    }
                    for remark in outline.remarks { Parts.tag(remark.words, remark.tagKind) }
                }
                element("div", .class("place")) {
                    source(frame.source)
                    if !frame.isInlined {
                        element("span", .class("module")) { outline.module ?? outline.placeWords }
                    }
                }
                excerpt(frame.excerpt)
            }
        }
    }

    private static func classes(_ frame: ReportFrame, _ modules: [ModuleSnapshot]) -> String {
        var classes = ["frame"]
        if frame.isOfSystem(modules) || frame.isOwn { classes.append("system") }
        if frame.isInlined { classes.append("inlined") }
        if frame.isAsyncCaller { classes.append("async") }
        return classes.joined(separator: " ")
    }

    private static func excerpt(_ excerpt: SourceExcerpt?) -> Markup? {
        guard let excerpt else { return nil }
        return element("pre", .class("excerpt")) {
            for (number, text, isHere) in excerpt.numbered {
                element("span", .class(isHere ? "line here" : "line")) { number + text }
            }
        }
    }

    /// The directory is less prominent: readers look for file and line.
    private static func source(_ source: ReportFrame.Source?) -> Markup? {
        guard let source else { return nil }
        return element("span", .class("source")) {
            element("span", .class("directory")) { source.directory }
            source.fileName + source.numbers
        }
    }
}

extension FrameOutline.Remark {
    fileprivate var tagKind: String {
        switch self {
        case .inlined, .signal, .namedWhenFiled: ""
        case .awaits: "async"
        case .doubt: "doubt"
        }
    }
}
