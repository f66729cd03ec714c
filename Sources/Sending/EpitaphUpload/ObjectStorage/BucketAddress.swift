// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

/// A bucket of an object store with S3's protocol, as an operator writes it:
///
///     https://ENDPOINT/BUCKET/KEY?region=REGION&keys=FILE&profile=NAME
///
/// The bucket is the first part of the path, which every store understands. With `style=host` it is
/// already in the host's name, as in AWS's own addresses `https://BUCKET.s3.REGION.amazonaws.com`.
package struct BucketAddress: Sendable {
    package let endpoint: UploadURL
    package let bucket: String?
    /// The region to sign, unless the store names another one.
    package let region: String
    package let keys: AccessKeySource
    /// Everything after the bucket, not percent-encoded: a key, a prefix or a template for them.
    package let rest: String

    /// - Parameters:
    ///   - keysFile: the default for the keys.
    ///   - environment: nil for a variable that is not set or empty.
    package init(
        _ text: String, keysFile: String? = nil,
        environment: @escaping @Sendable (String) -> String? =
            CurrentProcess.environmentVariable
    ) throws(SettingError) {
        guard let start = text.firstPlace(of: "://")?.upperBound else {
            throw SettingError("the address of the bucket must begin with https://")
        }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw SettingError(
                "keys do not belong into the address of a bucket: they come from the environment,"
                    + " or from a file that keys= names")
        }
        endpoint = try UploadURL(String(text[..<authority.endIndex]), of: "the endpoint")
        let path = text[authority.endIndex...].prefix { $0 != "?" }
        let parameters = try Self.parameters(text[path.endIndex...].dropFirst())
        let isInHost = parameters["style"].map { $0 == "host" } ?? Self.isInHost(endpoint.host)
        let parts = path.dropFirst().split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        bucket = isInHost ? nil : percentDecoded(parts.first ?? "")
        rest = percentDecoded(isInHost ? path.dropFirst() : parts.count > 1 ? parts[1] : "")
        region =
            parameters["region"] ?? environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION")
            ?? Self.region(ofHost: endpoint.host) ?? "us-east-1"
        keys = AccessKeySource(
            file: parameters["keys"] ?? keysFile, profile: parameters["profile"],
            environment: environment)
        try requireNames()
    }

    private static func parameters(_ query: Substring) throws(SettingError) -> [String: String] {
        var parameters: [String: String] = [:]
        for parameter in query.split(separator: "&") {
            let name = parameter.prefix { $0 != "=" }
            guard ["region", "keys", "profile", "style"].contains(name) else {
                throw SettingError(
                    "after the ? of a bucket's address stand region=, keys=, profile= and style=")
            }
            parameters[String(name)] = percentDecoded(parameter.dropFirst(name.count + 1))
        }
        guard ["path", "host"].contains(parameters["style"] ?? "path") else {
            throw SettingError("the style of a bucket's address is path or host")
        }
        let keys = parameters["keys"] ?? "/"
        guard keys.hasPrefix("/") || SecretFile.credential(keys) != nil else {
            throw SettingError("keys= names an absolute path or credential:NAME")
        }
        return parameters
    }

    private func requireNames() throws(SettingError) {
        guard StoreRefusal.isRegion(region) else {
            throw SettingError(
                "the region of the bucket must be letters, digits and dashes, as in eu-west-1")
        }
        let isName = bucket.map { bucket in
            bucket.utf8.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
                && !["", ".", ".."].contains(bucket) && bucket.utf8.count <= 255
        }
        guard isName ?? true else {
            throw SettingError(
                "the address must have the bucket's name after the host: https://HOST/BUCKET/KEY")
        }
        // libcurl, and servers, would treat them as directories.
        guard !rest.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw SettingError("a part of the key cannot be . or ..")
        }
    }

    /// Whether AWS has the bucket in this host's name.
    private static func isInHost(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        return labels.suffix(2) == ["amazonaws", "com"]
            && labels.dropFirst().contains { $0 == "s3" || $0.hasPrefix("s3-") }
    }

    /// The region of one of AWS's own hosts: `s3.eu-west-1.amazonaws.com`.
    private static func region(ofHost host: String) -> String? {
        let labels = host.split(separator: ".")
        guard labels.suffix(2) == ["amazonaws", "com"], let place = labels.firstIndex(of: "s3"),
            place + 3 < labels.count
        else { return nil }
        return String(labels[labels.count - 3])
    }

    /// The header Host: with the port if it is not the scheme's default.
    var host: String {
        let server = endpoint.server
        return String(server[(server.firstPlace(of: "://")?.upperBound ?? server.startIndex)...])
    }

    /// The URL of an object, or of the bucket if the key is empty. Nothing is percent-encoded yet.
    package func url(
        key: String, parameters: [(name: String, value: String)] = []
    ) throws(TransportError) -> UploadURL {
        let place = bucket.map { "/" + percentEncodedForQuery($0) } ?? ""
        // Encodes every byte except the unreserved ones and slashes: S3 signs this form.
        let path = percentEncoded(key) { isAlphanumeric($0) || "-._~/".utf8.contains($0) }
        let url = try UploadURL(endpoint.server + place + "/" + path)
        return url.adding(parameters)
    }

    /// For people: scheme, host, port and bucket.
    package var name: String { endpoint.server + (bucket.map { "/" + $0 } ?? "") }
}

extension BucketAddress: CustomStringConvertible, CustomReflectable {
    package var description: String { name }
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
