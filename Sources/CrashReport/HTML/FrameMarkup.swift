// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// One call of a stack.
enum FrameMarkup {
    static func markup(_ frame: ReportFrame, _ modules: [ModuleSnapshot]) -> Markup {
        element("li", .class(classes(frame, modules))) {
            element("span", .class("number")) { "\(frame.index)" }
            element("div") {
                element("div", .class("call")) {
                    function(frame)
                    remarks(frame)
                }
                element("div", .class("place")) {
                    source(frame.source)
                    module(frame)
                }
            }
        }
    }

    private static func classes(_ frame: ReportFrame, _ modules: [ModuleSnapshot]) -> String {
        var classes = ["frame"]
        if isTheSystems(frame, modules) { classes.append("system") }
        if frame.isInlined { classes.append("inlined") }
        if frame.isAsyncCaller { classes.append("async") }
        return classes.joined(separator: " ")
    }

    /// Libraries that came with the machine or with a toolchain, as in `/opt/swift/usr/lib`: a
    /// reader looks for the program's own code first.
    static func isTheSystems(_ frame: ReportFrame, _ modules: [ModuleSnapshot]) -> Bool {
        guard let index = frame.place?.moduleIndex, modules.indices.contains(index) else {
            return false
        }
        let module = modules[index]
        guard module.kind != .executable else { return false }
        return module.kind == .vdso
            || module.path.hasPrefix("/lib") || module.path.contains("/usr/lib")
    }

    private static func function(_ frame: ReportFrame) -> Markup {
        guard let name = frame.function else {
            return Parts.code(frame.place == nil ? frame.address.paddedHex : "??", class: "unknown")
        }
        guard frame.source?.line == nil, let offset = frame.functionOffset, offset > 0 else {
            return Parts.code(name)
        }
        return Parts.code("\(name)+\(offset.hex)")
    }

    @MarkupBuilder
    private static func remarks(_ frame: ReportFrame) -> Markup {
        if frame.isInlined { Parts.tag("inlined") }
        if frame.isAsyncCaller { Parts.tag("async caller", "async") }
        if frame.isSignalFrame { Parts.tag("calls a signal handler") }
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
