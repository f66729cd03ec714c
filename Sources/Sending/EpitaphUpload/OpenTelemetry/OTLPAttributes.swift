// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Attributes of a record or resource, by name.
///
/// Source: opentelemetry/proto/common/v1/common.proto, in JSON: a whole number is a text.
struct OTLPAttributes {
    private var values: [String: JSONValue] = [:]

    subscript(name: String) -> String? {
        get {
            guard case .text(let text) = values[name]?["stringValue"] else { return nil }
            return text
        }
        /// An empty text says nothing and is left out.
        set {
            guard let newValue, !newValue.isEmpty else { return }
            values[name] = .object(["stringValue": .text(newValue)])
        }
    }

    mutating func set(_ name: String, to number: (some BinaryInteger)?) {
        guard let number else { return }
        values[name] = .object(["intValue": .text("\(number)")])
    }

    /// Adds those whose names are not there yet.
    mutating func fill(_ texts: some Sequence<(key: String, value: String)>) {
        for (name, text) in texts where values[name] == nil { self[name] = text }
    }

    /// Sorted by name, so that the same report gives the same bytes.
    var json: JSONValue {
        .list(
            values.inKeyOrder.map {
                .object(["key": .text($0.key), "value": $0.value])
            })
    }
}
