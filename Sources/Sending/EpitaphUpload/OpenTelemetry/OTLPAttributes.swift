// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// opentelemetry/proto/common/v1/common.proto, in JSON: a whole number is a text.
package struct OTLPAttributes {
    package init() {}

    /// From OpenTelemetry's variables: "Resource SDK",
    /// opentelemetry.io/docs/specs/otel/resource/sdk.
    package static func ofThisProgram(
        environment: (String) -> String? = CurrentProcess.environmentVariable
    ) -> OTLPAttributes {
        var attributes = OTLPAttributes()
        attributes["service.name"] = environment("OTEL_SERVICE_NAME")
        attributes.fill(
            OTLPPairs.read(environment("OTEL_RESOURCE_ATTRIBUTES") ?? "")
                .map { (key: $0.name, value: $0.value) })
        return attributes
    }

    private var values: [String: JSONValue] = [:]

    package subscript(name: String) -> String? {
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

    package mutating func set(_ name: String, to number: (some BinaryInteger)?) {
        guard let number else { return }
        values[name] = .object(["intValue": .text("\(number)")])
    }

    package mutating func set(_ name: String, toJSON value: JSONValue) {
        values[name] = Self.value(value)
    }

    private static func value(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null: return .object([:])
        case .boolean(let flag): return .object(["boolValue": .boolean(flag)])
        case .integer(let number): return .object(["intValue": .text("\(number)")])
        case .unsigned(let number): return .object(["doubleValue": .number(Double(number))])
        case .number(let number): return .object(["doubleValue": .number(number)])
        case .text(let text): return .object(["stringValue": .text(text)])
        case .list(let values):
            return .object(["arrayValue": .object(["values": .list(values.map(Self.value))])])
        case .object(let fields):
            let pairs = fields.inKeyOrder.map { name, value in
                JSONValue.object(["key": .text(name), "value": Self.value(value)])
            }
            return .object(["kvlistValue": .object(["values": .list(pairs)])])
        }
    }

    package mutating func fill(_ texts: some Sequence<(key: String, value: String)>) {
        for (name, text) in texts where values[name] == nil { self[name] = text }
    }

    /// Sorted by name, so that the same report gives the same bytes.
    package var json: JSONValue {
        .list(
            values.inKeyOrder.map {
                .object(["key": .text($0.key), "value": $0.value])
            })
    }
}
