// SPDX-License-Identifier: Apache-2.0

/// A name and a value the program attached to its reports, or to a breadcrumb.
public struct Annotation: Sendable, Equatable {
    /// Chosen by the program.
    public var name: String
    /// Chosen by the program; numbers and truths in the words of Swift's `description`.
    public var value: String
    /// What the value was before it became text.
    public var type: AttributeType
    /// The value was longer.
    public var isCut = false
    /// It belongs to the scope of the task (or thread) that crashed, and not to all of the process.
    public var isOfTask = false

    public init(name: String, value: String, type: AttributeType = .string) {
        self.name = name
        self.value = value
        self.type = type
    }

    /// The value of a dump: the bits of a number.
    public init(name: String, bits: UInt64, type: AttributeType) {
        self.init(name: name, value: type.text(ofBits: bits), type: type)
    }
}

/// What the value of an attribute is; the numbers are those of epitaph_attribute_types.h.
public enum AttributeType: UInt8, Sendable, CaseIterable {
    case string = 1
    /// A signed integer of 64 bits.
    case integer = 2
    /// A floating-point number of 64 bits.
    case number = 3
    case boolean = 4

    /// In JSON, and for people.
    public var word: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        }
    }

    func text(ofBits bits: UInt64) -> String {
        switch self {
        case .string: ""
        case .integer: String(Int64(bitPattern: bits))
        case .number: Double(bitPattern: bits).description
        case .boolean: bits == 0 ? "false" : "true"
        }
    }
}
