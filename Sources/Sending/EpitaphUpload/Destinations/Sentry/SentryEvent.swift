// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A report in Sentry's form: the JSON of the `sentry` field, or an envelope's event.
///
/// Sources: "Event Payloads" and "Message Interface", develop.sentry.dev/sdk/foundations; "Tags",
/// docs.sentry.io/platforms/native/enriching-events/tags; "Releases & Health", "Environments",
/// docs.sentry.io. Values that Sentry would refuse are changed until they fit, or moved to `extra`.
struct SentryEvent: Encodable {
    /// The report's own id: Sentry returns it, and recognises a report that arrives twice.
    let eventID: String
    let platform = "native"
    /// `fatal`, unless our stacks show that the program lived on, as after a handled error.
    let level: String
    let release: String?
    let environment: String?
    let dist: String?
    let serverName: String?
    let user: [String: String]
    let tags: [String: String]
    let extra: [String: String]
    let logentry: [String: String]?
    let breadcrumbs: SentryBreadcrumbs?
    // Our own stacks; nil if the server finds them in the minidump.
    let timestamp: String?
    let exception: SentryStacks.Values<SentryStacks.Exception>?
    let threads: SentryStacks.Values<SentryStacks.Thread>?
    let debugMeta: SentryStacks.DebugMeta?
    let contexts: [String: [String: String]]?

    enum CodingKeys: String, CodingKey {
        case eventID = "event_id"
        case serverName = "server_name"
        case platform, level, release, environment, dist, user, tags, extra, logentry
        case breadcrumbs, timestamp, exception, threads, contexts
        case debugMeta = "debug_meta"
    }

    /// - Parameters:
    ///   - release: for a report without an annotation `release`.
    ///   - environment: for a report without an annotation `environment`.
    init(
        _ report: OutgoingReport, release: String?, environment: String?,
        stacks: SentryStacks? = nil
    ) {
        var rest = report.annotations
        eventID = report.uuid.description.filter { $0 != "-" }
        self.release = (rest.removeValue(forKey: "release") ?? release ?? Self.release(of: rest))
            .flatMap(Self.releaseName)
        self.environment = (rest.removeValue(forKey: "environment") ?? environment)
            .flatMap { Self.name($0, limit: 64, without: "/\r\n\u{0c}", reserved: ["none"]) }
        dist = rest.removeValue(forKey: "dist").flatMap(Self.distribution)
        serverName = KnownAnnotations.hostNames.first { rest[$0] != nil }
            .flatMap { rest.removeValue(forKey: $0) }
        user = ["id": report.clientID.description]
        tags = rest.filter { Self.isTag($0.key, $0.value) }
        extra = Self.fitting(rest.filter { !Self.isTag($0.key, $0.value) })
        let words = report.messages.joined(separator: "\n")
        logentry = words.isEmpty ? nil : ["formatted": String(words.prefix(8192))]
        breadcrumbs = SentryBreadcrumbs(report.breadcrumbs)
        level = stacks?.isCrash == false ? "error" : "fatal"
        (timestamp, exception) = (stacks?.timestamp, stacks?.exception)
        (threads, debugMeta) = (stacks?.threads, stacks?.debugMeta)
        contexts = stacks?.contexts
    }

    /// In bytes of UTF-8, names included. Sentry shows some kilobytes of it and refuses a report
    /// whose event is larger than 1 MiB (max_event_size, docs.sentry.io/product/relay/options).
    private static let extraByteCount = 256 << 10

    private static func fitting(_ values: [String: String]) -> [String: String] {
        var rest = extraByteCount
        var fitting: [String: String] = [:]
        for (name, value) in values.inKeyOrder {
            rest -= name.utf8.count
            guard rest > 0 else { break }
            let part = value.prefix(byteCount: rest)
            fitting[name] = String(part)
            rest -= part.utf8.count
        }
        return fitting
    }

    /// Sorted by name, so that the same report gives the same bytes.
    func json() -> String {
        // A dictionary of strings can always be encoded.
        return (try? JSONText.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The form Sentry recommends, `product@version`.
    private static func release(of annotations: [String: String]) -> String? {
        guard let version = annotations["ver"] else { return nil }
        return annotations["prod"].map { "\($0)@\(version)" } ?? version
    }

    private static func releaseName(_ text: String) -> String? {
        name(text, limit: 200, without: "/\\\r\n\t\u{0b}\u{0c}", reserved: ["latest"])
    }

    /// Sentry drops a `dist` with other characters or more of them: validate_distribution,
    /// relay-event-normalization/src/event.rs of getsentry/relay.
    private static func distribution(_ text: String) -> String? {
        let plain = text.unicodeScalars.map { scalar in
            scalar.isASCII
                && (isAlphanumeric(UInt8(scalar.value)) || "_.-".contains(Character(scalar)))
                ? Character(scalar) : "_"
        }
        return name(String(plain), limit: 64)
    }

    private static func name(
        _ text: String, limit: Int, without forbidden: String = "\r\n", reserved: [String] = []
    ) -> String? {
        let isForbidden = Set(forbidden.unicodeScalars)
        let scalars = text.unicodeScalars.prefix(limit).map { isForbidden.contains($0) ? "_" : $0 }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: scalars)
        let isName =
            !text.allSatisfy(\.isWhitespace)
            && !(["..", "."] + reserved).contains(
                text.lowercased())
        return isName ? String(name) : nil
    }

    private static func isTag(_ key: String, _ value: String) -> Bool {
        (1...32).contains(key.utf8.count)
            && key.utf8.allSatisfy { isAlphanumeric($0) || "_.:-".utf8.contains($0) }
            && (1...200).contains(value.unicodeScalars.count)
            && !value.unicodeScalars.contains("\n")
    }
}
