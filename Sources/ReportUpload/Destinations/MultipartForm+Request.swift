// SPDX-License-Identifier: Apache-2.0

extension MultipartForm {
    /// The form as one POST. Reads its files through when they are to be compressed.
    ///
    /// - Parameter secrets: what nobody may read in the server's answer.
    func request(
        to url: UploadURL, compression: BodyCompression, timeLimits: TimeLimits, secrets: Secrets,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        let boundary = MultipartBoundary(using: &random)
        let (body, headers) = try compression.applied(to: self.body(boundary: boundary))
        return UploadRequest(
            .post, to: url, headers: [.contentType(.form(boundary: boundary))] + headers,
            body: body, timeLimits: timeLimits, secrets: secrets)
    }

    /// Sets a file under `name`, or under `name_2`, `name_3` and so on, whichever is free: two
    /// files, or a file and a value, may be called the same, and none of them may be lost.
    mutating func add(
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
