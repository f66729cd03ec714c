// SPDX-License-Identifier: Apache-2.0

/// One call as in the source. A physical frame has several if calls were inlined.
package struct SourceFrame: Sendable, Equatable {
    package var function: String?
    /// As its author wrote it: see `ShortFunctionName`. Only set by a `Symbolicator`.
    package var shortFunction: String?
    /// As in the file, perhaps mangled.
    package var rawName: String?
    /// Bytes from the function's start to the instruction pointer; nil for an inlined call.
    package var functionOffset: UInt64?
    /// Full path, as recorded by the compiler.
    package var file: String?
    /// Counted from 1; nil for compiler-generated code.
    package var line: Int?
    /// Counted from 1.
    package var column: Int?
    /// The function's declaration.
    package var functionLine: Int?
    package var isInlined: Bool
    /// The reason for a trap here, as the compiler recorded it. Only on the innermost call.
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
