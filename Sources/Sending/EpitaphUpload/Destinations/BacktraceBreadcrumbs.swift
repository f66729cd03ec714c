// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Breadcrumbs as the file that Backtrace's page of a report reads: a list in JSON, the oldest
/// first. Names and values: Breadcrumb, BreadcrumbType and BreadcrumbLogLevel in
/// backtrace-labs/backtrace-javascript.
enum BacktraceBreadcrumbs {
    static let fileName = "bt-breadcrumbs-0"

    private static let types: Set<String> = [
        "manual", "log", "navigation", "http", "system", "user", "configuration",
    ]

    static func file(of breadcrumbs: [Breadcrumb]) -> OutgoingContent? {
        guard !breadcrumbs.isEmpty,
            let bytes = try? JSONValue.list(breadcrumbs.map { value(of: $0) }).bytes()
        else { return nil }
        return .bytes(ByteSlice(bytes))
    }

    private static func value(of breadcrumb: Breadcrumb) -> JSONValue {
        var attributes: [String: JSONValue] = [:]
        for attribute in breadcrumb.attributes where attributes[attribute.name] == nil {
            attributes[attribute.name] = value(of: attribute)
        }
        // Our categories and types are any words: Backtrace's types are few.
        let type = [breadcrumb.kind, breadcrumb.category].first { types.contains($0) }
        for (name, text) in [("category", breadcrumb.category), ("type", breadcrumb.kind)]
        where !text.isEmpty && text != type && attributes[name] == nil {
            attributes[name] = .text(text)
        }
        return .object([
            "id": .integer(Int64(clamping: breadcrumb.number)),
            // Milliseconds.
            "timestamp": .integer(Int64(clamping: breadcrumb.timeNanoseconds / 1_000_000)),
            "level": .text("\(breadcrumb.level)"), "type": .text(type ?? "manual"),
            "message": .text(breadcrumb.message), "attributes": .object(attributes),
        ])
    }

    private static func value(of attribute: Annotation) -> JSONValue {
        let value: JSONValue? =
            switch attribute.type {
            case .string: nil
            case .integer: Int64(attribute.value).map { .integer($0) }
            case .number: Double(attribute.value).flatMap { $0.isFinite ? .number($0) : nil }
            case .boolean: .boolean(attribute.value == "true")
            }
        return value ?? .text(attribute.value)
    }
}
