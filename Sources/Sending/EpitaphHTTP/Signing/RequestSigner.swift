// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An access key as AWS has them: an id, which servers show, and a secret, which is never sent.
package struct AccessKey: Sendable, Equatable {
    package let id: String
    package let secret: String
    package let sessionToken: String?

    package init(id: String, secret: String, sessionToken: String? = nil) {
        self.id = id
        self.secret = secret
        self.sessionToken = sessionToken
    }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { id }
    package var debugDescription: String { id }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// Signs requests with AWS's Signature Version 4, in their headers: "Create a signed AWS API
/// request", docs.aws.amazon.com/IAM/latest/UserGuide, and for S3 "Signature Calculations for the
/// Authorization Header" of its API reference.
package struct RequestSigner: Sendable {
    package let key: AccessKey
    package let region: String
    package let service: String

    package struct Content: Sendable {
        package var method: String
        package var path: String
        package var query: String
        /// Names and values, including the host. The time must be among them as `x-amz-date`.
        package var headers: [(name: String, value: String)]
        package var bodyDigest: String

        package init(
            method: String, path: String, query: String = "",
            headers: [(name: String, value: String)], bodyDigest: String
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.bodyDigest = bodyDigest
        }
    }

    package init(key: AccessKey, region: String, service: String) {
        self.key = key
        self.region = region
        self.service = service
    }

    /// For `x-amz-date`: `20150830T123600Z`.
    package static func timeText(_ time: Timestamp) -> String {
        UTCTime.compactTimestamp(time)
    }

    /// The value of the header Authorization.
    ///
    /// - Parameters:
    ///   - content: must not include headers that a proxy may change.
    ///   - time: the same text as in the header `x-amz-date`.
    package func authorization(for content: Content, time: String) throws(SigningError) -> String {
        let canonical = Self.canonical(content)
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let digest = try SHA256.digest(of: canonical.request.utf8)
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(digest.hexDigits)"
        var derived = Array("AWS4\(key.secret)".utf8)
        for part in scope.split(separator: "/") {
            derived = try SHA256.authenticationCode(of: String(part), key: derived)
        }
        let signature = try SHA256.authenticationCode(of: text, key: derived).hexDigits
        return "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope),"
            + " SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)"
    }

    /// The request in the form that client and server hash, and the names of its headers.
    static func canonical(_ content: Content) -> (request: String, signedHeaders: String) {
        var values: [String: [String]] = [:]
        for (name, value) in content.headers {
            values[name.lowercased(), default: []].append(compacted(value))
        }
        let headers = values.inKeyOrder
        let names = headers.map(\.key).joined(separator: ";")
        let lines = [
            content.method, content.path.isEmpty ? "/" : content.path,
            canonicalQuery(content.query),
        ]
        let headerLines = headers.map { "\($0.key):\($0.value.joined(separator: ","))" }
        let request = (lines + headerLines + ["", names, content.bodyDigest])
            .joined(separator: "\n")
        return (request, names)
    }

    private static func compacted(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }

    /// Sorted by name and then value, each with an equals sign.
    private static func canonicalQuery(_ query: String) -> String {
        let parameters = query.split(separator: "&").map { text in
            let name = text.prefix { $0 != "=" }
            return (name: Array(name.utf8), value: Array(text.dropFirst(name.count + 1).utf8))
        }
        let sorted = parameters.sorted { one, other in
            one.name == other.name
                ? one.value.lexicographicallyPrecedes(other.value)
                : one.name.lexicographicallyPrecedes(other.name)
        }
        return sorted.map {
            String(decoding: $0.name + [UInt8(ascii: "=")] + $0.value, as: UTF8.self)
        }.joined(separator: "&")
    }
}
