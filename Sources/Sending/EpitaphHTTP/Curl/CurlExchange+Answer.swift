// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

extension CurlExchange {
    /// `detail` is libcurl's own sentence. It is only used for TLS, where it says what is wrong
    /// with a certificate; elsewhere it may contain parts of the URL.
    func answer(to code: CURLcode, detail: String) throws(TransportError) -> UploadResponse {
        try requireProxyConsent()
        let status = epitaph_curl_long(handle, CURLINFO_RESPONSE_CODE)
        var response = UploadResponse(
            status: status, headers: head.headers, body: receivedBody,
            isBodyCut: isReceivedBodyCut)
        if let sinkFailure { throw sinkFailure }
        if code == CURLE_OK || code == CURLE_WRITE_ERROR && isReceivedBodyCut {
            try requireWholeAnswer(status)
            try requireWholeRequest(status)
            return response
        }
        if let bodyFailure { throw bodyFailure }
        if head.isTooLarge {
            throw .invalidAnswer(
                server: url.server,
                reason: "its headers are larger than \(options.headerLimitBytes) bytes")
        }
        let failure = failure(code, detail: detail)
        guard status >= 400 else { throw failure }
        // A server that rejects a request early often closes the connection. Its answer counts.
        switch failure {
        case .interrupted, .timedOut:
            response.isBodyCut = true
            return response
        default: throw failure
        }
    }

    /// libcurl accepts a status line alone if the connection ends after it.
    private func requireWholeAnswer(_ status: Int) throws(TransportError) {
        guard head.isComplete else {
            throw .interrupted(
                server: url.server, reason: "the connection ended within the answer's headers")
        }
        // 101, or an interim answer without a final one: RFC 9110 15.2.
        guard status >= 200 else {
            throw .invalidAnswer(
                server: url.server, reason: "it answered \(status), which was not asked for")
        }
    }

    /// A success does not count if only half of the report was sent.
    private func requireWholeRequest(_ status: Int) throws(TransportError) {
        let sent = epitaph_curl_offset(handle, CURLINFO_SIZE_UPLOAD_T)
        guard (200..<300).contains(status), sent < request.body.contentLength else { return }
        throw .interrupted(
            server: url.server,
            reason: "it answered \(status) after \(sent) of \(request.body.contentLength) bytes")
    }
}
