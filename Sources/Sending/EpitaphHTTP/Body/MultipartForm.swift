// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The line between the parts of a form: RFC 2046 5.1.1 allows 1 to 70 characters.
package struct MultipartBoundary: Sendable, Equatable {
    /// Without the two leading hyphens.
    package let text: String

    /// 32 random letters and digits, 190 bits: no part can contain it by chance.
    package init(using random: inout some RandomNumberGenerator) {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        let middle = (0..<32).map { _ in letters[Int.random(in: letters.indices, using: &random)] }
        text = "---MultipartBoundary-" + String(middle) + "---"
    }
}

/// A form of values and files, multipart/form-data (RFC 7578) as Crashpad's uploader writes it.
package struct MultipartForm: Sendable {
    private enum Part {
        case value(String)
        case file(StreamedBody.Piece, filename: String, type: MediaType)
    }

    private var parts: [String: Part] = [:]

    package init() {}

    package mutating func set(_ name: String, to value: String) {
        parts[name] = .value(value)
    }

    /// Replaces any earlier part of this name. The file is read while the form is sent.
    package mutating func set(
        _ name: String, to file: StreamedBody.Piece, filename: String, type: MediaType = .bytes
    ) {
        parts[name] = .file(file, filename: filename, type: type)
    }

    package mutating func set(
        _ name: String, to file: BodyFile, filename: String, type: MediaType = .bytes
    ) {
        set(name, to: .file(file), filename: filename, type: type)
    }

    func holds(_ name: String) -> Bool { parts[name] != nil }

    /// Values, then files, each sorted by name, so that the same form gives the same bytes.
    package func body(boundary: MultipartBoundary) -> StreamedBody {
        var pieces: [StreamedBody.Piece] = []
        var text = ""
        let sorted = parts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for case (let name, .value(let value)) in sorted {
            text += Self.head(boundary, name) + "\r\n\r\n" + value + "\r\n"
        }
        for case (let name, .file(let file, let filename, let type)) in sorted {
            text += Self.head(boundary, name) + "; filename=\"\(Self.escaped(filename))\"\r\n"
            text += "\(HTTPHeader.Name.contentType): \(type.text)\r\n\r\n"
            pieces += [.bytes(ByteSlice(Array(text.utf8))), file]
            text = "\r\n"
        }
        text += "--\(boundary.text)--\r\n"
        return StreamedBody(pieces + [.bytes(ByteSlice(Array(text.utf8)))])
    }

    private static func head(_ boundary: MultipartBoundary, _ name: String) -> String {
        "--\(boundary.text)\r\nContent-Disposition: form-data; name=\"\(escaped(name))\""
    }

    /// Percent-encodes what would end the name or its line, as browsers do, and the percent sign,
    /// so that different names stay different.
    static func escaped(_ name: String) -> String {
        percentEncoded(name) { $0 != 0x0d && $0 != 0x0a && $0 != 0x22 && $0 != 0x25 }
    }
}

extension MultipartForm {
    /// As one POST; reads files if they are to be compressed. Hides `secrets` in the answer.
    package func request(
        to url: UploadURL, compression: BodyCompression, timeLimits: TimeLimits, secrets: Secrets,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        let boundary = MultipartBoundary(using: &random)
        let (body, headers) = try compression.applied(to: self.body(boundary: boundary))
        return UploadRequest(
            .post, to: url, headers: [.contentType(.form(boundary: boundary))] + headers,
            body: body, timeLimits: timeLimits, secrets: secrets)
    }

    /// Sets a file under `name`, or under `name_2`, `name_3` and so on if that is taken.
    package mutating func add(
        _ file: StreamedBody.Piece, as name: String, filename: String, type: MediaType = .bytes
    ) {
        var free = name
        var number = 1
        while holds(free) {
            number += 1
            free = "\(name)_\(number)"
        }
        set(free, to: file, filename: filename, type: type)
    }
}
