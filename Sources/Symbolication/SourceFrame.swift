// SPDX-License-Identifier: Apache-2.0

/// One call as its author wrote it. A physical frame is several of them when the compiler inlined
/// calls. Where the frame is, its module and address, is the same for all of them and not repeated
/// here.
public struct SourceFrame: Sendable, Equatable {
    /// The function's name for people: demangled where it was mangled. Nil when nothing names the
    /// address.
    public var function: String?
    /// The same as its author wrote it, for stacks: without modules, types, default template
    /// arguments and what the compiler added. Only from a `Symbolicator`.
    public var shortFunction: String?
    /// The function's name as the file has it.
    public var rawName: String?
    /// Bytes from the function's start to the frame's instruction pointer; nil for an inlined call.
    public var functionOffset: UInt64?
    /// The source file's full path, as the compiler recorded it.
    public var file: String?
    /// From 1 on; nil for code the compiler made up.
    public var line: Int?
    /// From 1 on.
    public var column: Int?
    /// The line the function itself is declared in.
    public var functionLine: Int?
    /// True when the call has no frame of its own: the compiler put it into the next one of the
    /// list.
    public var isInlined: Bool
    /// Why the code stops itself here, as the compiler recorded it for its trap instruction:
    /// "Index out of range". Only on the innermost call.
    public var runtimeFailure: String?
    public var namedBy: NameSource?

    /// Where the name comes from.
    public enum NameSource: String, Sendable, CaseIterable {
        case debugInformation
        /// `.symtab`, or `.dynsym` of a stripped file. A function that is not in it goes unnamed.
        case symbolTable
    }

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
