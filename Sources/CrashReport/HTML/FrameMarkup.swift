// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// One call of a stack.
enum FrameMarkup {
    static func markup(
        _ frame: ReportFrame, _ modules: [ModuleSnapshot], _ names: ReportFrame.Names
    ) -> Markup {
        element("li", .class(classes(frame, modules))) {
            element("span", .class("number")) { "\(frame.index)" }
            element("div") {
                element("div", .class("call")) {
                    function(frame, names)
                    remarks(frame)
                }
                element("div", .class("place")) {
                    source(frame.source)
                    module(frame)
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

    private static func function(_ frame: ReportFrame, _ names: ReportFrame.Names) -> Markup {
        guard let name = frame.name(names) else {
            return Parts.code(frame.place == nil ? frame.address.paddedHex : "??", class: "unknown")
        }
        guard frame.source?.line == nil, let offset = frame.functionOffset, offset > 0 else {
            return Parts.function(name, whole: frame.function)
        }
        return Parts.function("\(name)+\(offset.hex)", whole: frame.function)
    }

    private static func excerpt(_ excerpt: SourceExcerpt?) -> Markup? {
        guard let excerpt else { return nil }
        let width = "\(excerpt.firstLine + excerpt.lines.count)".count
        return element("pre", .class("excerpt")) {
            for (number, text) in excerpt.numbered {
                element("span", .class(number == excerpt.line ? "line here" : "line")) {
                    "\(number)".padded(to: width) + " │ " + text
                }
            }
        }
    }

    @MarkupBuilder
    private static func remarks(_ frame: ReportFrame) -> Markup {
        if frame.isInlined { Parts.tag("inlined") }
        if frame.isAsyncCaller { Parts.tag("async caller", "async") }
        if frame.isSignalFrame { Parts.tag(frame.signalWords) }
        if frame.isNameKept { Parts.tag("named when filed") }
        if let foundBy = foundBy(frame) { Parts.tag(foundBy, "doubt") }
    }

    /// Nil where there is nothing to doubt.
    private static func foundBy(_ frame: ReportFrame) -> String? {
        switch frame.foundBy {
        case .registers, .unwindTable, .asyncContext: nil
        case .signalContext: "found by the registers a signal handler saved"
        case .returnAddress: "found by the return address of a jump"
        case .framePointer: "found by its frame pointer"
        case .stackScan: "found by a stack scan: likely, not certain"
        case .stackGuess: "found by a stack scan: possible, no more"
        }
    }

    /// The directory steps back: file and line are what a reader looks for.
    private static func source(_ source: ReportFrame.Source?) -> Markup? {
        guard let source else { return nil }
        return element("span", .class("source")) {
            element("span", .class("directory")) {
                String(source.file[..<startOfName(source.file)])
            }
            nameAndNumbers(source)
        }
    }

    /// `Server.swift:42:9`
    static func nameAndNumbers(_ source: ReportFrame.Source) -> String {
        let numbers = [source.line, source.line == nil ? nil : source.column]
        return String(source.file[startOfName(source.file)...])
            + numbers.compactMap { $0.map { ":\($0)" } }.joined()
    }

    private static func startOfName(_ path: String) -> String.Index {
        path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    }

    private static func module(_ frame: ReportFrame) -> Markup? {
        if frame.isInlined { return nil }
        guard let place = frame.place else {
            return element("span", .class("module")) {
                frame.function == nil ? "in no module" : "in no module, \(frame.address.paddedHex)"
            }
        }
        return element("span", .class("module")) { "\(place.moduleName)+\(place.offset.hex)" }
    }
}
