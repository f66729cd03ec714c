// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not an ELF image this package can use.
public enum ELFError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not an ELF file at all.
    case notELF
    /// ELF of another word size, byte order or version.
    case unsupported(String)
    /// The file ends inside a structure it cannot do without.
    case truncated(String, offset: UInt64)

    public var description: String {
        switch self {
        case .notELF: "this is not an ELF file"
        case .unsupported(let what): "this ELF file is \(what), which is not supported"
        case .truncated(let what, let offset):
            "the file ends inside its \(what) at offset 0x\(String(offset, radix: 16))"
        }
    }
}
