// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// The stacks of the calls that freed and allocated sampled blocks.
enum HeapSection {
    static func markup(_ outline: ReportOutline) -> Markup? {
        let calls = outline.heapCalls
        guard !calls.isEmpty else { return nil }
        return Parts.section("block", "Block") {
            for call in calls {
                element("h3") { call.title }
                if let purpose = call.purpose { element("p", .class("note")) { "for " + purpose } }
                StackSection.markup(
                    call.stack, outline.snapshot.modules, outline.names,
                    around: call.stack?.programIndices)
            }
        }
    }
}
