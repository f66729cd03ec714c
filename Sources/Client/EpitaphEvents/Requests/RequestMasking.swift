// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct RequestMasking: Sendable {
    private let options: RequestMonitorOptions
    private let chosen: Set<String>
    private let secret: SecretNames

    private static let mask = SecretNames.mask
    private static let urlLimitBytes = 1_024
    private static let headerLimitBytes = 256
    private static let headerLimit = 32
    /// Tokens in paths have at least 16 characters; ordinary words are shorter.
    private static let shortestToken = 16

    init(_ options: RequestMonitorOptions) {
        self.options = options
        chosen = Set(options.headers.map { $0.lowercased() })
        secret = SecretNames(options.secretHeaders)
    }

    var bodyLimitBytes: Int { options.bodyLimitBytes }

    func headers(_ headers: [String: String]) -> [String: String]? {
        guard !chosen.isEmpty else { return nil }
        var kept: [String: String] = [:]
        for (name, value) in headers.inKeyOrder {
            let lower = name.lowercased()
            guard chosen.contains(lower), kept.count < Self.headerLimit else { continue }
            kept[lower] =
                secret.contain(lower) ? Self.mask : value.cut(toBytes: Self.headerLimitBytes)
        }
        return kept
    }

    /// The start of a body; nil if bodies are not recorded. Invalid UTF-8 becomes U+FFFD.
    func body(_ bytes: [UInt8]?) -> String? {
        guard options.bodyLimitBytes > 0, let bytes else { return nil }
        return String(decoding: bytes.prefix(options.bodyLimitBytes), as: UTF8.self)
    }

    func url(_ text: String) -> String {
        // Scalars: the characters of a hostile URL could combine across a separator.
        let whole = text.unicodeScalars.prefix { $0 != "#" }
        let (beforeQuery, query) = Self.split(whole, at: "?")
        let (scheme, rest) = Self.schemeAndRest(beforeQuery)
        let authority = scheme.isEmpty ? rest.prefix(0) : rest.prefix { $0 != "/" }
        // Everything before the last @ is user and password.
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
        var masked = scheme + String(String.UnicodeScalarView(host ?? authority))
        guard options.urlParts != .server else { return masked.cut(toBytes: Self.urlLimitBytes) }
        masked += Self.path(rest[authority.endIndex...])
        if options.urlParts == .queryNames, let query {
            let names = query.split(separator: "&").map { parameter in
                // A token may stand alone: https://host/submit?TOKEN
                guard let mark = parameter.firstIndex(of: "=") else { return Self.mask }
                return String(parameter[..<mark]) + "=" + Self.mask
            }
            masked += "?" + names.joined(separator: "&")
        }
        return masked.cut(toBytes: Self.urlLimitBytes)
    }

    private typealias Scalars = Substring.UnicodeScalarView

    private static func split(
        _ text: Scalars, at mark: Unicode.Scalar
    ) -> (Scalars, Scalars?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<index], text[text.index(after: index)...])
    }

    private static func schemeAndRest(_ text: Scalars) -> (String, Scalars) {
        guard let colon = text.firstIndex(of: ":") else { return ("", text) }
        let after = text[text.index(after: colon)...]
        guard after.starts(with: "//".unicodeScalars) else { return ("", text) }
        return (String(Substring(text[...colon])) + "//", after.dropFirst(2))
    }

    private static func path(_ path: Scalars) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let text = String(Substring(part))
            let isLong = text.utf8.count >= shortestToken
            // A long component without a digit counts as a word.
            return isLong && text.utf8.contains { (0x30...0x39).contains($0) } ? mask : text
        }.joined(separator: "/")
    }
}
