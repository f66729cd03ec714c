// SPDX-License-Identifier: Apache-2.0

/// A name and value that the program attached to its reports or to a breadcrumb.
package struct Annotation: Sendable, Equatable {
    package var name: String
    package var value: String
    /// The type before conversion to text.
    package var type: AttributeType
    /// The value was longer.
    package var isCut = false
    package var isOfTask = false

    package init(name: String, value: String, type: AttributeType = .string) {
        self.name = name
        self.value = value
        self.type = type
    }

    package init(name: String, bits: UInt64, type: AttributeType) {
        self.init(name: name, value: type.text(ofBits: bits), type: type)
    }
}

/// The type of an attribute's value; the numbers of epitaph_attribute_types.h.
package enum AttributeType: UInt8, Sendable, CaseIterable {
    case string = 1
    case integer = 2
    case number = 3
    /// Bits 1 or 0.
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

/// The meaning of annotations with certain names (docs/destinations.md, docs/fleet.md).
package enum KnownAnnotations {
    package static let hostNames = ["server_name", "hostname"]
    /// Names for the program's version, most specific first.
    package static let versionNames = ["release", "Version", "ver"]
}

extension ProcessSnapshot {
    package var hostName: String? { annotation(of: KnownAnnotations.hostNames) }

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
