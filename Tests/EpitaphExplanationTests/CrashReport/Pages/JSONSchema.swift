// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The published schema, and a validator that is not ours.
enum JSONSchema {
    static let path = Products.packageRoot + "/docs/report-schema.json"

    static func document() throws -> [String: Any] {
        try #require(
            JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: path))) as? [String: Any])
    }

    /// What is wrong with reports, a line each; empty when nothing is.
    static func complaints(about reports: [String]) throws -> [String] {
        try SchemaValidator.complaints(about: reports, against: path)
    }

    /// The names of all members a schema allows, wherever they are.
    static func members(of schema: Any) -> Set<String> {
        if let items = schema as? [Any] {
            return items.reduce(into: []) { $0.formUnion(members(of: $1)) }
        }
        guard let object = schema as? [String: Any] else { return [] }
        let named = (object["properties"] as? [String: Any]).map { Set($0.keys) } ?? []
        return object.values.reduce(into: named) { $0.formUnion(members(of: $1)) }
    }

    /// The names of all members a report has but for registers.
    static func names(in value: Any) -> Set<String> {
        if let items = value as? [Any] {
            return items.reduce(into: []) { $0.formUnion(names(in: $1)) }
        }
        guard let object = value as? [String: Any] else { return [] }
        return object.reduce(into: Set(object.keys)) { names, member in
            if member.key != "registers" { names.formUnion(Self.names(in: member.value)) }
        }
    }

    /// The words a member may be, from its `enum`.
    static func words(_ path: String...) throws -> [String] {
        var value: Any? = try document()
        for step in path {
            value = (value as? [String: Any])?[step]
        }
        return try #require((value as? [String: Any])?["enum"] as? [String])
    }
}
