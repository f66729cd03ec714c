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
    package var word: String { "\(self)" }

    func text(ofBits bits: UInt64) -> String {
        switch self {
        case .string: ""
        case .integer: String(Int64(bitPattern: bits))
        case .number: Double(bitPattern: bits).description
        case .boolean: bits == 0 ? "false" : "true"
        }
    }
}

/// What annotations of certain names say, in one place for everything that reads them
/// (docs/destinations.md, docs/fleet.md).
package enum KnownAnnotations {
    /// The names that a program may give its machine under, the most telling first.
    package static let hostNames = ["server_name", "hostname"]
    /// The names under which it says which version it is, the most telling first.
    package static let versionNames = ["release", "Version", "ver"]
}

extension ProcessSnapshot {
    /// The name of the machine, as the program said it; nil if it did not.
    package var hostName: String? { annotation(of: KnownAnnotations.hostNames) }

    /// The version of the program, as it said it; nil if it did not.
    package var programVersion: String? { annotation(of: KnownAnnotations.versionNames) }

    private func annotation(of names: [String]) -> String? {
        for name in names {
            if let found = annotations.first(where: { $0.name == name && !$0.value.isEmpty }) {
                return found.value
            }
        }
        return nil
    }
}
