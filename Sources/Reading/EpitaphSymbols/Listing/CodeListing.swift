// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphUnwinding

/// All code of a file, named as by a `Symbolicator`. Not thread-safe.
package final class CodeListing {
    /// Code with the same calls everywhere.
    package struct Part {
        package let range: Range<UInt64>
        /// Innermost first; the last one has a function.
        package let calls: [SourceFrame]
        package let isBehindLabel: Bool
    }

    private let symbols: ModuleSymbols
    private let sections: [Range<UInt64>]
    /// Parts listed before cached results are dropped.
    private static let renewal = 1 << 13

    package init(_ code: LocatedImage, debug: LocatedImage?) {
        symbols = ModuleSymbols(
            ModuleImages(code: code, debug: debug), .debugInformation, key: nil)
        sections = code.image.sections.filter { $0.isExecutable && $0.size > 0 }
            .map { $0.address..<($0.address &+ max($0.size, 1)) }
            .filter { $0.lowerBound < $0.upperBound }
    }

    package var problem: String? { symbols.problem }

    package func forEachPart<Failure: Error>(
        _ body: (Part) throws(Failure) -> Void
    ) throws(Failure) {
        let all = symbols.boundaries().sorted()
        for section in sections.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let inner = all[all.prefixCount { $0 <= section.lowerBound }...]
                .prefix { $0 < section.upperBound }
            var start = section.lowerBound
            var count = 0
            for end in inner + [section.upperBound] where end > start {
                let calls = symbols.calls(at: start)
                if calls.last?.function != nil {
                    try body(
                        Part(
                            range: start..<end, calls: calls,
                            isBehindLabel: symbols.isBehindLabel(start)))
                }
                start = end
                count += 1
                if count % Self.renewal == 0 { symbols.renew() }
            }
        }
    }
}
