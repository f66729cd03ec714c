// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

extension Epitaph {
    /// One header line of a request. All header names and fixed values are in this file.
    public struct HTTPHeader: Sendable, Equatable {
        /// The field's name, compared without regard to case, RFC 9110 5.1.
        public let name: String
        /// The field's value, which can be a credential.
        public let value: String

        /// Nil if the name is not a token or the value would end the line (RFC 9110 5.1, 5.5).
        public init?(_ name: String, _ value: String) {
            let isName = !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
            let isValue = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
            guard isName, isValue else { return nil }
            self.init(unchecked: name, value)
        }

        private init(unchecked name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        package static func contentType(_ type: MediaType) -> HTTPHeader {
            HTTPHeader(unchecked: Name.contentType, type.text)
        }

        /// `Content-Encoding: gzip`, RFC 9110 8.4.1.3.
        package static let gzipEncoded = HTTPHeader(unchecked: Name.contentEncoding, "gzip")

        package enum Name {
            package static let contentType = "Content-Type"
            package static let contentEncoding = "Content-Encoding"
            package static let userAgent = "User-Agent"
        }

        /// Major and minor version: servers group clients by it. A transport adds its library.
        package static let product =
            "Epitaph/" + EPITAPH_VERSION.split(separator: ".").prefix(2).joined(separator: ".")

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension HTTPHeader: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value of a header chosen by an operator may be a token, so it is not shown.
    public var description: String {
        let isOurs = [Name.contentType, Name.contentEncoding].contains(name)
        return isOurs ? "\(name): \(value)" : "\(name): [hidden]"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

/// The type of a body or of a file in a form, RFC 6838 4.2, with its parameters.
package struct MediaType: Sendable, Equatable {
    package let text: String

    /// Nil if the text is not `type/subtype`: anything else could break the header.
    package init?(_ text: String) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(Self.isRestrictedName) else { return nil }
        self.text = text
    }

    private init(unchecked text: String) {
        self.text = text
    }

    package static let bytes = MediaType(unchecked: "application/octet-stream")
    /// UTF-8.
    package static let text = MediaType(unchecked: "text/plain")
    package static let json = MediaType(unchecked: "application/json")

    package static let sentryEnvelope = MediaType(unchecked: "application/x-sentry-envelope")

    static func form(boundary: MultipartBoundary) -> MediaType {
        MediaType(unchecked: "multipart/form-data; boundary=\(boundary.text)")
    }

    /// restricted-name of RFC 6838 4.2: 1 to 127 characters, a letter or digit first.
    private static func isRestrictedName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, isAlphanumeric(first), name.utf8.count <= 127 else {
            return false
        }
        return name.utf8.allSatisfy { isAlphanumeric($0) || "!#$&-^_.+".utf8.contains($0) }
    }
}
