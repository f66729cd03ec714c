// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// A function in a symbol file: one range of code, relative to the module's load address.
struct BreakpadFunction {
    struct Part {
        let range: Range<UInt64>
        /// Innermost first.
        let calls: [BreakpadCall]
    }

    let name: String
    private(set) var parts: [Part]

    init(_ part: Part) {
        name = part.calls.last?.function ?? ""
        parts = [part]
    }

    mutating func append(_ part: Part) { parts.append(part) }

    var range: Range<UInt64> {
        (parts.first?.range.lowerBound ?? 0)..<(parts.last?.range.upperBound ?? 0)
    }

    /// The innermost place of each range. Code without a line gets line 0, as in DWARF, because
    /// some readers extend a record up to the next.
    var lines: [(range: Range<UInt64>, place: BreakpadCall.Place)] {
        let known = parts.lazy.compactMap { $0.calls.first?.place?.file }.first
        // Readers find inlined calls through lines.
        let unknown = parts.contains { $0.calls.count > 1 } ? BreakpadCall.Place.unknown.file : nil
        guard var file = known ?? unknown else { return [] }
        var lines: [(range: Range<UInt64>, place: BreakpadCall.Place)] = []
        for part in parts {
            let place = part.calls.first?.place ?? .init(file: file, line: 0)
            file = place.file
            if let last = lines.last, last.place == place,
                last.range.upperBound == part.range.lowerBound
            {
                let start = last.range.lowerBound
                lines[lines.count - 1] = (start..<part.range.upperBound, place)
            } else {
                lines.append((part.range, place))
            }
        }
        return lines
    }

    struct Inline {
        /// 0 for a call inlined into the function itself.
        let depth: Int
        let function: String
        let callSite: BreakpadCall.Place?
        var range: Range<UInt64>
    }

    /// The inlined calls, each before those inside it.
    var inlines: [Inline] {
        var done: [Inline] = []
        // Calls open at this address, outermost first, by index in `done`.
        var open: [Int] = []
        for part in parts {
            let levels = part.calls.dropLast().count
            var isSame = done.last != nil
            for depth in 0..<levels {
                let call = part.calls[levels - 1 - depth]
                let callSite = part.calls[levels - depth].place
                if isSame, depth < open.count, continues(done[open[depth]], call, callSite, part) {
                    let start = done[open[depth]].range.lowerBound
                    done[open[depth]].range = start..<part.range.upperBound
                    continue
                }
                isSame = false
                open.removeLast(max(open.count - depth, 0))
                open.append(done.count)
                done.append(
                    Inline(
                        depth: depth, function: call.function ?? "", callSite: callSite,
                        range: part.range))
            }
            open.removeLast(max(open.count - levels, 0))
        }
        return done
    }

    private func continues(
        _ inline: Inline, _ call: BreakpadCall, _ callSite: BreakpadCall.Place?, _ part: Part
    ) -> Bool {
        inline.range.upperBound == part.range.lowerBound && inline.function == call.function ?? ""
            && inline.callSite == callSite
    }
}

struct BreakpadCall: Sendable, Equatable {
    struct Place: Sendable, Equatable {
        let file: String
        /// From 1; 0 for code without a line.
        let line: Int

        static let unknown = Place(file: "??", line: 0)
    }

    let function: String?
    let place: Place?
}
