// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Threads and their frames as text.
enum ThreadText {
    /// `4711 "worker-1"`, and what is missing of it.
    static func title(_ thread: ExplainedThread) -> String {
        identity(thread) + (condition(thread.thread).map { " (\($0))" } ?? "")
    }

    /// A section for every thread; threads with the same stack share one, which names them all.
    static func sections(_ threads: [ExplainedThread]) -> [[String]] {
        var groups: [[ExplainedThread]] = []
        var places: [GroupKey: Int] = [:]
        for thread in threads {
            let key = GroupKey(condition: condition(thread.thread), stack: stack(thread))
            if let place = places[key] {
                groups[place].append(thread)
            } else {
                places[key] = groups.count
                groups.append([thread])
            }
        }
        return groups.map(section)
    }

    private struct GroupKey: Hashable {
        let condition: String?
        let stack: [String]
    }

    private static func section(_ group: [ExplainedThread]) -> [String] {
        let stack = stack(group[0])
        guard group.count > 1 else { return ["Thread \(title(group[0])):"] + stack }
        let condition = condition(group[0].thread).map { " (\($0))" } ?? ""
        let names = group.map(identity).joined(separator: ", ")
        return ["\(group.count) threads alike\(condition): \(names):"] + stack
    }

    private static func identity(_ thread: ExplainedThread) -> String {
        "\(thread.thread.id)" + (thread.thread.name.map { " " + TerminalText.quoted($0) } ?? "")
    }

    /// Nil for a complete thread.
    private static func condition(_ thread: ThreadSnapshot) -> String? {
        guard thread.completeness != .complete else { return nil }
        var text = thread.completeness == .partial ? "partial" : "missing"
        if let why = thread.whyIncomplete { text += ": " + TerminalText.line(why) }
        if let state = thread.runState {
            text += "; state " + TerminalText.line(String(state))
        }
        if let call = thread.systemCall {
            text += call < 0 ? "; in no system call" : "; in system call \(call)"
        }
        return text
    }

    static func stack(_ thread: ExplainedThread) -> [String] {
        guard let stack = thread.stack, !stack.frames.isEmpty else {
            let why =
                thread.stack?.whyIncomplete ?? "the registers of this thread were not captured"
            return ["  no frames: \(TerminalText.line(why))"]
        }
        let width = "#\(stack.frames.last?.index ?? 0)".count
        var lines = stack.frames.map { frame in
            "  \("#\(frame.index)".padded(to: width))  \(FrameText.line(frame))"
        }
        if let why = stack.whyAsyncCallersIncomplete {
            lines.append("  not all awaiting functions are known: \(TerminalText.line(why))")
        }
        if let why = stack.whyIncomplete {
            lines.append("  the stack ends here: \(TerminalText.line(why))")
        }
        return lines
    }
}

enum FrameText {
    /// `serve(_:) at /src/Server.swift:42:9 in exampled+0x1a2b`
    static func line(_ frame: ReportFrame) -> String {
        guard frame.function != nil || frame.place != nil else {
            return "\(frame.address.paddedHex) in no module" + remark(frame)
        }
        return function(frame) + source(frame) + place(frame) + remark(frame)
    }

    private static func function(_ frame: ReportFrame) -> String {
        guard let function = frame.function else { return "??" }
        let name = TerminalText.line(function)
        // With a line number nobody needs the offset.
        guard frame.source?.line == nil, let offset = frame.functionOffset, offset > 0 else {
            return name
        }
        return "\(name)+\(offset.hex)"
    }

    private static func source(_ frame: ReportFrame) -> String {
        guard let source = frame.source else { return "" }
        let numbers = [source.line, source.line == nil ? nil : source.column].compactMap { $0 }
        return " at " + TerminalText.line(source.file) + numbers.map { ":\($0)" }.joined()
    }

    private static func place(_ frame: ReportFrame) -> String {
        if frame.isInlined { return ", inlined" }
        guard let place = frame.place else { return " in no module, \(frame.address.paddedHex)" }
        return " in \(TerminalText.line(place.moduleName))+\(place.offset.hex)"
    }

    private static func remark(_ frame: ReportFrame) -> String {
        let signal = frame.isSignalFrame ? " (calls a signal handler)" : ""
        let awaits = frame.isAsyncCaller ? " (awaits the frame above)" : ""
        return signal + awaits + (foundBy(frame).map { " (found by \($0))" } ?? "")
    }

    /// Nil where there is nothing to doubt.
    private static func foundBy(_ frame: ReportFrame) -> String? {
        switch frame.foundBy {
        case .registers, .unwindTable, .asyncContext: nil
        case .signalContext: "the registers a signal handler saved"
        case .returnAddress: "the return address of a jump"
        case .framePointer: "its frame pointer"
        case .stackScan: "a stack scan: likely, not certain"
        }
    }
}
