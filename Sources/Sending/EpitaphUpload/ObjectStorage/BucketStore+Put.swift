// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP

package struct NewObject {
    package var key: String
    package var type: MediaType
    package var body: DigestedBody

    package init(key: String, type: MediaType, body: DigestedBody) {
        self.key = key
        self.type = type
        self.body = body
    }
}

extension BucketStore {
    /// Unsigned. `isConditional` keeps an existing object; not every store knows that.
    func request(
        making object: NewObject, isConditional: Bool, timeLimits: TimeLimits
    ) throws(TransportError) -> UploadRequest {
        let condition = isConditional ? HTTPHeader("If-None-Match", "*") : nil
        return UploadRequest(
            .put, to: try address.url(key: object.key),
            headers: [.contentType(object.type)] + object.body.headers
                + (condition.map { [$0] } ?? []),
            body: object.body.body, timeLimits: timeLimits, secrets: Secrets())
    }

    /// Creates an object, unless one of this name exists. Names are derived from contents, so a
    /// store that does not understand the condition gets the same bytes again.
    ///
    /// - Parameter adjust: may change each request before it is signed.
    /// - Returns: a success, or a refusal whose body is a sentence that begins with the store's
    ///   code.
    package func put(
        _ object: NewObject, by transport: any Transport, timeLimits: TimeLimits = TimeLimits(),
        adjusting adjust: (inout UploadRequest) throws(TransportError) -> Void = { _ in }
    ) throws(TransportError) -> Answer {
        let isConditional = takesConditions
        var request = try request(
            making: object, isConditional: isConditional, timeLimits: timeLimits)
        try adjust(&request)
        var answer = try send(request, bodyDigest: object.body.digest, by: transport)
        if isConditional, answer.isRefusalOfConditions {
            noteThatConditionsAreRefused()
            request.headers.removeAll { $0.name == "If-None-Match" }
            answer = try send(request, bodyDigest: object.body.digest, by: transport)
        }
        if isConditional, answer.response.status == 412 {
            return Answer(response: UploadResponse(status: 200), refusal: nil)
        }
        if answer.refusal == nil, answer.response.headers["ETag"] == nil {
            throw .invalidAnswer(
                server: address.endpoint.server,
                reason: "a success without an ETag, which is no object store's")
        }
        return answer
    }
}

extension BucketStore.Answer {
    fileprivate var isRefusalOfConditions: Bool {
        response.status == 501 || refusal?.code == "NotImplemented"
    }
}
