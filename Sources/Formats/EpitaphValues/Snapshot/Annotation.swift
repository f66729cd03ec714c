// SPDX-License-Identifier: Apache-2.0

/// A name and a value the program attached to its reports, or to a breadcrumb.
package struct Annotation: Sendable, Equatable {
    /// Chosen by the program.
    package var name: String
    /// Chosen by the program; numbers and truths in the words of Swift's `description`.
    package var value: String
    /// What the value was before it became text.
    package var type: AttributeType
    /// The value was longer.
    package var isCut = false
    /// It belongs to the scope of the task (or thread) that crashed, and not to all of the process.
    package var isOfTask = false

    /// A value as text, whole, of the process as a whole.
    package init(name: String, value: String, type: AttributeType = .string) {
        self.name = name
        self.value = value
        self.type = type
    }

    /// The value of a dump: the bits of a number.
    package init(name: String, bits: UInt64, type: AttributeType) {
        self.init(name: name, value: type.text(ofBits: bits), type: type)
    }
}

/// What the value of an attribute is; the numbers are those of epitaph_attribute_types.h.
package enum AttributeType: UInt8, Sendable, CaseIterable {
    /// UTF-8 text.
    case string = 1
    /// A signed integer of 64 bits.
    case integer = 2
    /// A floating-point number of 64 bits.
    case number = 3
    /// True or false: the bits are 1 or 0.
    case boolean = 4

    /// In JSON, and for people.
    package var word: String {
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
