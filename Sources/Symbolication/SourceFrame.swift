// SPDX-License-Identifier: Apache-2.0

/// One call as in the source. A physical frame is several of them if the compiler inlined calls.
/// Module and address of the frame are the same for all of them and not repeated here.
public struct SourceFrame: Sendable, Equatable {
    /// The function's name, demangled if it was mangled. Nil if nothing names the address.
    public var function: String?
    /// The name as its author wrote it, for stacks: without modules, types, default template
    /// arguments and additions of the compiler. Only set by a `Symbolicator`.
    public var shortFunction: String?
    /// The function's name as in the file, perhaps mangled.
    public var rawName: String?
    /// Bytes from the function's start to the frame's instruction pointer; nil for an inlined call.
    public var functionOffset: UInt64?
    /// The source file's full path, as the compiler recorded it.
    public var file: String?
    /// Counted from 1; nil for code that the compiler generated.
    public var line: Int?
    /// Counted from 1; nil if unknown.
    public var column: Int?
    /// The line in which the function itself is declared.
    public var functionLine: Int?
    /// True if the call has no frame of its own: the compiler inlined it into the next one of the
    /// list.
    public var isInlined: Bool
    /// Why the code stops the program here, as the compiler recorded it for its trap instruction:
    /// "Index out of range". Only on the innermost call.
    public var runtimeFailure: String?
    /// Nil if `function` is.
    public var namedBy: NameSource?

    /// Where the name comes from.
    public enum NameSource: String, Sendable, CaseIterable {
        /// DWARF: DW_TAG_subprogram or DW_TAG_inlined_subroutine.
        case debugInformation
        /// `.symtab`, or `.dynsym` of a stripped file. A function that is not in it has no name.
        case symbolTable
        /// A Breakpad symbol file.
        case symbolFile
    }

    /// A call without a place in the source; set the other properties if they are known.
    public init(
        function: String? = nil, rawName: String? = nil, isInlined: Bool = false,
        namedBy: NameSource? = nil
    ) {
        self.function = function
        self.rawName = rawName
        self.isInlined = isInlined
        self.namedBy = namedBy
    }
}
