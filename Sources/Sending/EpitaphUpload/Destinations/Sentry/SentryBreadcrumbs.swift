// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Breadcrumbs in Sentry's form: "Breadcrumbs Interface", develop.sentry.dev/sdk/foundations.
///
/// They are part of the event in the `sentry` field. Sentry's own clients use files called
/// `__sentry-breadcrumb1` and `2` in MessagePack. If one of those is present, Sentry takes the
/// event only from such files (relay-server/src/services/processor/event.rs of getsentry/relay),
/// which would lose release, tags and the rest.
struct SentryBreadcrumbs: Encodable {
    let values: [Value]

    struct Value: Encodable {
        let timestamp: String
        let level: String
        let category: String?
        let message: String
        let type: String?
        let data: [String: String]?
    }

    /// As many as Sentry's clients keep. All together must fit into an event of 1 MiB.
    private static let limit = 100
    private static let characterLimit = 1_024

    init?(_ breadcrumbs: [Breadcrumb]) {
        guard !breadcrumbs.isEmpty else { return nil }
        values = breadcrumbs.suffix(Self.limit).map { breadcrumb in
            Value(
                timestamp: Self.timestamp(nanoseconds: breadcrumb.timeNanoseconds),
                level: Self.level(breadcrumb.level),
                category: breadcrumb.category.isEmpty
                    ? nil : String(breadcrumb.category.prefix(Self.characterLimit)),
                message: String(breadcrumb.message.prefix(Self.characterLimit)),
                type: breadcrumb.kind.isEmpty ? nil : breadcrumb.kind,
                data: breadcrumb.attributes.isEmpty
                    ? nil
                    : Dictionary(
                        breadcrumb.attributes.map { ($0.name, $0.value) },
                        uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Exact, which a fractional number of seconds would not be. RFC 3339 5.6.
    private static func timestamp(nanoseconds: UInt64) -> String {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let whole = UTCTime.timestamp(Timestamp(secondsSince1970: Double(seconds)))
        return "\(whole.dropLast()).\(String(rest / 1_000).zeroPadded(to: 6))Z"
    }

    private static func level(_ level: Breadcrumb.Level) -> String {
        switch level {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        case .fatal: "fatal"
        }
    }
}
