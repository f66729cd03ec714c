// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The stacks of the calls that freed and allocated sampled blocks.
enum HeapText {
    static func sections(_ outline: ReportOutline) -> [FlexibleSection] {
        outline.heapCalls.enumerated().map { index, call in
            FlexibleSection(
                section: section(
                    call, StackText.lines(call.stack, names: outline.names)),
                brief: section(
                    call, StackText.briefLines(call.stackOfProgram, names: outline.names)),
                leastHeight: 2, importance: index == 0 ? 5 : 4, unit: "this stack")
        }
    }

    private static func section(
        _ call: ReportOutline.HeapCall, _ stack: [TextLine]
    ) -> TextSection {
        let purpose = call.purpose.map { [TextLine.verbatim("for \(TerminalText.line($0))")] }
        return TextSection("\(call.title):", (purpose ?? []) + stack)
    }
}
