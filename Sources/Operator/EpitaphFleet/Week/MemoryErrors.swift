// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

/// Memory errors of sampled allocations. Signatures begin with their kind, so that rows need no
/// column for it: `use-after-free (allocated by fill) read_entry`; in a report of a program that
/// lived on `handled-error heap-overwrite (allocated by fill)`.
enum MemoryErrors {
    private static let kinds: [Diagnosis.Kind] = [
        .useAfterFree, .heapOutOfBounds, .doubleFree, .invalidFree, .heapOverwrite,
    ]
    private static let handled = ReportKind.handledError.word + " "

    /// Nil for anything else.
    static func name(in signature: String) -> String? {
        let rest =
            signature.hasPrefix(handled) ? signature.dropFirst(handled.count) : signature[...]
        let word = rest.prefix { $0 != " " }
        return kinds.first { $0.rawValue == word }?.rawValue
    }

    /// The same in SQL; an empty text, or another word, for anything else.
    static let expression = "extract(signature, '^(?:\(handled))?([a-z-]+)')"
    static let list = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
}
