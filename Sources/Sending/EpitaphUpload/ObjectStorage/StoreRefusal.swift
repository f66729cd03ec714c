// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// An object store's refusal, a document with the root `Error`: "Error responses",
/// docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
package struct StoreRefusal: Sendable, Equatable {
    package let code: String
    package let message: String
    package let region: String?
    /// Where the store wants the request to go, if given.
    let endpoint: String?

    /// Nil for a success. A successful status can carry an error: S3 answers early.
    package init?(_ response: UploadResponse) {
        let document = response.isBodyCut ? nil : XMLElement(response.body)
        let error = document.flatMap { $0.name == "Error" ? $0 : nil }
        let isDone = response.isSuccess && error == nil
        guard !isDone else { return nil }
        code = error?["Code"].map { $0.oneLine(limit: 100) } ?? ""
        message = (error.map { $0["Message"] ?? "" } ?? response.text).oneLine()
        let named = response.headers["x-amz-bucket-region"] ?? error?["Region"]
        region = named.flatMap { Self.isRegion($0) ? $0 : nil }
        endpoint = error?["Endpoint"]?.oneLine(limit: 100)
    }

    init(sentence: String) {
        code = String(sentence.prefix { $0 != ":" })
        message = String(sentence.dropFirst(code.count + 2))
        region = nil
        endpoint = nil
    }

    /// Whether the text is safe in the scope of a signature, and in a sentence.
    static func isRegion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { isAlphanumeric($0) || "-_".utf8.contains($0) }
    }

    package var sentence: String {
        let words = code.isEmpty ? message : "\(code): \(message)"
        guard ["PermanentRedirect", "AuthorizationHeaderMalformed"].contains(code) else {
            return words
        }
        let place = region.map { " (the bucket is in the region \($0))" } ?? ""
        return words + place + (endpoint.map { " (its endpoint is \($0))" } ?? "")
    }

    package func isTemporary(status: Int) -> Bool {
        Self.temporaryCodes.contains(code) || [408, 425, 429].contains(status) || status >= 500
    }

    /// The meaning for a report; `byStatus` is that of the status alone.
    func meaning(_ byStatus: AnswerMeaning) -> AnswerMeaning {
        if Self.destinationCodes.contains(code) { return .destinationRefused }
        if code == "EntityTooLarge" { return .tooLarge }
        // A pause that the server asked for is kept.
        if case .retry = byStatus { return byStatus }
        let isTemporary = Self.temporaryCodes.contains(code) || byStatus == .accepted
        return isTemporary ? .retry(notBeforeSeconds: nil) : byStatus
    }

    /// Nothing can be stored with this address, key, or clock.
    private static let destinationCodes: Set<String> = [
        "AccessDenied", "AccountProblem", "AllAccessDisabled", "AuthorizationHeaderMalformed",
        "ExpiredToken", "IllegalLocationConstraintException", "InvalidAccessKeyId",
        "InvalidBucketName", "InvalidBucketState", "InvalidPayer", "InvalidToken",
        "MethodNotAllowed", "NoSuchBucket", "NotSignedUp", "PermanentRedirect",
        "RequestTimeTooSkewed", "SignatureDoesNotMatch", "TokenRefreshRequired",
    ]

    /// A retry may succeed. `TemporaryRedirect` lasts until a new bucket is known everywhere.
    private static let temporaryCodes: Set<String> = [
        "BadDigest", "ConditionalRequestConflict", "IncompleteBody", "InternalError",
        "OperationAborted", "RequestTimeout", "ServiceUnavailable", "SlowDown",
        "TemporaryRedirect", "XAmzContentSHA256Mismatch",
    ]
}
