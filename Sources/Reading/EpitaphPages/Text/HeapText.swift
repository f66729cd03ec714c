// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The stacks of the calls that freed and allocated sampled blocks.
enum HeapText {
    static func sections(_ outline: ReportOutline) -> [FlexibleSection] {
        outline.heapCalls.enumerated().map { index, call in
            let purpose = call.purpose.map { [TextLine.verbatim("for \(TerminalText.line($0))")] }
            let stack = StackText.lines(call.stack, names: outline.names)
            return FlexibleSection(
                section: TextSection("\(call.title):", (purpose ?? []) + stack),
                brief: TextSection(
                    "\(call.title):",
                    StackText.briefLines(call.stackOfProgram, names: outline.names)),
                leastHeight: 2, importance: index == 0 ? 5 : 4, unit: "this stack")
        }
    }
}
