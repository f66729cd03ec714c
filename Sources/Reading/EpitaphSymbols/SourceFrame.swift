// SPDX-License-Identifier: Apache-2.0

/// One call as in the source. A physical frame is several of them if the compiler inlined calls.
/// Module and address of the frame are the same for all of them and not repeated here.
package struct SourceFrame: Sendable, Equatable {
    /// The function's name, demangled if it was mangled. Nil if nothing names the address.
    package var function: String?
    /// The name as its author wrote it, for stacks: without modules, types, default template
    /// arguments and additions of the compiler. Only set by a `Symbolicator`.
    package var shortFunction: String?
    /// The function's name as in the file, perhaps mangled.
    package var rawName: String?
    /// Bytes from the function's start to the frame's instruction pointer; nil for an inlined call.
    package var functionOffset: UInt64?
    /// The source file's full path, as the compiler recorded it.
    package var file: String?
    /// Counted from 1; nil for code that the compiler generated.
    package var line: Int?
    /// Counted from 1; nil if unknown.
    package var column: Int?
    /// The line that declares the function.
    package var functionLine: Int?
    /// True if the call has no frame of its own: the compiler inlined it into the next one of the
    /// list.
    package var isInlined: Bool
    /// Why the code stops the program here, as the compiler recorded it for its trap instruction:
    /// "Index out of range". Only on the innermost call.
    package var runtimeFailure: String?
    /// Nil if `function` is.
    package var namedBy: NameSource?

    /// Where the name comes from.
    package enum NameSource: String, Sendable, CaseIterable {
        /// DWARF: DW_TAG_subprogram or DW_TAG_inlined_subroutine.
        case debugInformation
        /// `.symtab`, or `.dynsym` of a stripped file. A function that is not in it has no name.
        case symbolTable
        /// A Breakpad symbol file.
        case symbolFile
    }

    /// A call without a place in the source; set the other properties if they are known.
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
