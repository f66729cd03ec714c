// SPDX-License-Identifier: Apache-2.0

/// One call as in the source. A physical frame has several if calls were inlined.
package struct SourceFrame: Sendable, Equatable {
    package var function: String?
    /// As its author wrote it: see `ShortFunctionName`. Only set by a `Symbolicator`.
    package var shortFunction: String?
    /// As in the file, perhaps mangled.
    package var rawName: String?
    /// `work.part.0`, if it is that part of `function`.
    package var part: String?
    package var functionOffset: UInt64?
    package var file: String?
    /// Counted from 1; nil for compiler-generated code.
    package var line: Int?
    /// Counted from 1.
    package var column: Int?
    /// The function's declaration.
    package var functionLine: Int?
    package var isInlined: Bool
    package var runtimeFailure: String?
    /// Nil if `function` is.
    package var namedBy: NameSource?

    package enum NameSource: String, Sendable, CaseIterable {
        case debugInformation
        /// `.symtab`; for a stripped file `.dynsym` and `.gnu_debugdata`.
        case symbolTable
        case symbolFile
    }

    package init(
        function: String? = nil, rawName: String? = nil, isInlined: Bool = false,
        namedBy: NameSource? = nil
    ) {
        self.function = function
        self.rawName = rawName
        self.isInlined = isInlined
        self.namedBy = namedBy
    }
}
