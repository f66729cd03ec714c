// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Where it happened: stacks, a line for every call.
enum StackSection {
    /// Of a stack with more lines than this after folding, the middle is left out.
    static let mostLines = 300
    /// How many of the outermost lines are shown then.
    static let outermostLines = 40

    static func crashing(
        _ explanation: CrashExplanation, _ names: ReportFrame.Names
    ) -> Markup? {
        guard let thread = explanation.crashingThread else {
            guard explanation.reason != nil else { return nil }
            return Parts.section("where", "Where") {
                element("p") { "The crashing thread is not known." }
            }
        }
        let modules = explanation.snapshot.modules
        return Parts.section("where", "Where") {
            element("p", .class("note")) {
                "Crashing thread "
                element("b") { ThreadWords.identity(thread.thread) }
                ThreadWords.condition(thread.thread).map { " (\($0))" }
            }
            markup(thread.stack, modules, names)
            problems(explanation)
        }
    }

    /// Why frames of the crashing thread are nameless or uncertain.
    private static func problems(_ explanation: CrashExplanation) -> Markup? {
        let frames = explanation.crashingThread?.stack?.frames ?? []
        let used = Set(frames.compactMap { $0.place?.moduleIndex }).sorted()
        let files = used.compactMap { explanation.moduleProblems[$0] }
        let problems = files + explanation.readingNotes
        guard !problems.isEmpty else { return nil }
        return element("div", .class("notice")) {
            element("p") {
                files.isEmpty
                    ? "How the stacks were read:"
                    : "Files that could not be used to read this stack:"
            }
            element("ul") {
                for problem in problems { element("li") { problem } }
            }
        }
    }

    static func markup(
        _ stack: ReportStack?, _ modules: [ModuleSnapshot], _ names: ReportFrame.Names = .short,
        mostLines: Int = mostLines
    ) -> Markup {
        guard let stack, !stack.frames.isEmpty else {
            let why = stack?.whyIncomplete ?? "the registers of this thread were not captured"
            return element("p", .class("note")) { "No frames: \(why)." }
        }
        let lines = FoldedStack(stack).parts.flatMap(\.lines)
        let outermost = min(outermostLines, mostLines / 4)
        let isCut = lines.count > mostLines
        return element("ol", .class("stack")) {
            for line in lines.prefix(isCut ? mostLines - outermost : mostLines) {
                markup(line, modules, names)
            }
            if isCut {
                element("li", .class("gap")) {
                    "… \(grouped(lines.count - mostLines)) more lines are left out here"
                }
                for line in lines.suffix(outermost) { markup(line, modules, names) }
            }
            if stack.isKept {
                element("li", .class("gap")) {
                    "These frames were found when the report was filed."
                }
            }
            if let why = stack.whyAsyncCallersIncomplete {
                element("li", .class("gap")) { "Not all awaiting functions are known: \(why)." }
            }
            if let why = stack.whyIncomplete {
                element("li", .class("gap")) { "The stack ends here: \(why)." }
            }
        }
    }

    @MarkupBuilder
    private static func markup(
        _ line: FoldedStack.Line, _ modules: [ModuleSnapshot], _ names: ReportFrame.Names
    ) -> Markup {
        switch line {
        case .frame(let frame):
            if let omission = frame.omission {
                element("li", .class("gap")) { "… \(omission.words)" }
            }
            FrameMarkup.markup(frame, modules, names)
        case .repeated(let count, let frameCount, let functions):
            element("li", .class("gap")) {
                "… \(grouped(frameCount)) \(frameCount == 1 ? "frame" : "frames"): "
                Parts.code(functions.joined(separator: ", "))
                " repeated \(grouped(count)) more times"
            }
        }
    }
}
