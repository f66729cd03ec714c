// SPDX-License-Identifier: Apache-2.0

import CCurl
import LinuxSystem
import ReportUpload

extension CurlExchange {
    /// What the end of a transfer means. `detail` is libcurl's own sentence; it is only used for
    /// TLS, where it names the fault of a certificate: elsewhere it may repeat parts of the URL.
    func answer(to code: CURLcode, detail: String) throws(TransportError) -> UploadResponse {
        try requireProxyConsent()
        let status = epitaph_curl_long(handle, CURLINFO_RESPONSE_CODE)
        var response = UploadResponse(
            status: status, body: receivedBody, isBodyCut: isReceivedBodyCut,
            retryAfter: head.retryAfter)
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
        // A server that refuses a request early often closes the connection at once, or leaves it
        // as it is. Its verdict counts.
        switch failure {
        case .interrupted, .timedOut:
            response.isBodyCut = true
            return response
        default: throw failure
        }
    }

    /// libcurl is content with a status line, if the connection ends after it.
    private func requireWholeAnswer(_ status: Int) throws(TransportError) {
        guard head.isComplete else {
            throw .interrupted(
                server: url.server, reason: "the connection ended within the answer's headers")
        }
        // 101, or an interim answer that nothing followed: RFC 9110 15.2.
        guard status >= 200 else {
            throw .invalidAnswer(
                server: url.server, reason: "it answered \(status), which nobody asked for")
        }
    }

    /// A success for half a report is none.
    private func requireWholeRequest(_ status: Int) throws(TransportError) {
        let sent = epitaph_curl_offset(handle, CURLINFO_SIZE_UPLOAD_T)
        guard (200..<300).contains(status), sent < request.body.contentLength else { return }
        throw .interrupted(
            server: url.server,
            reason: "it answered \(status) after \(sent) of \(request.body.contentLength) bytes")
    }

    private func failure(_ code: CURLcode, detail: String) -> TransportError {
        let server = url.server
        let reason = String(cString: epitaph_curl_strerror(code))
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            return .cannotConnect(
                server: server, reason: connectionFailure(systemReason ?? reason))
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
            return .cannotConnect(server: server, reason: "\(proxyName): \(reason)")
        case CURLE_SSL_CERTPROBLEM:
            return .tls(server: server, reason: certificateProblem(detail))
        case CURLE_SSL_CONNECT_ERROR where isCertificateProblem(detail):
            return .tls(server: server, reason: certificateProblem(detail))
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_SHUTDOWN_FAILED:
            return .tls(
                server: server,
                reason: certificateRefusal(detail) ?? (detail.isEmpty ? reason : detail))
        case CURLE_OPERATION_TIMEDOUT:
            return timeout()
        case CURLE_ABORTED_BY_CALLBACK, CURLE_READ_ERROR:
            return .bodyUnreadable(reason: reason)
        case CURLE_UNSUPPORTED_PROTOCOL:
            // libcurl's word for an answer without a status line, HTTP/0.9.
            return .invalidAnswer(server: server, reason: "what came back has no valid status line")
        case CURLE_WEIRD_SERVER_REPLY:
            return .invalidAnswer(
                server: server, reason: "the status line or the headers make no sense")
        case CURLE_BAD_CONTENT_ENCODING:
            return .invalidAnswer(server: server, reason: reason)
        case CURLE_RECV_ERROR where detail.contains("chunked"):
            return .invalidAnswer(server: server, reason: "the chunks of its body make no sense")
        case CURLE_OUT_OF_MEMORY
        where epitaph_curl_offset(handle, CURLINFO_STARTTRANSFER_TIME_T) > 0:
            // What libcurl says to a header line of more than CURL_MAX_HTTP_HEADER bytes.
            return .invalidAnswer(server: server, reason: "one of its header lines has no end")
        case CURLE_URL_MALFORMAT:
            return .invalidURL(reason: "libcurl cannot read it")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            return .unavailable(reason: reason)
        default:
            if let refusal = certificateRefusal(detail) {
                return .tls(server: server, reason: refusal)
            }
            return .interrupted(server: server, reason: systemReason ?? reason)
        }
    }

    /// Which of the time limits it was.
    private func timeout() -> TransportError {
        let limits = request.timeLimits
        guard epitaph_curl_offset(handle, CURLINFO_PRETRANSFER_TIME_T) > 0 else {
            let seconds = min(limits.connectSeconds, left / .seconds(1))
            return .cannotConnect(
                server: url.server, reason: "no connection within \(Self.text(seconds)) s")
        }
        // A little less than the total counts as the total: libcurl counts in whole milliseconds,
        // from a later start.
        let elapsed = Double(epitaph_curl_offset(handle, CURLINFO_TOTAL_TIME_T)) / 1e6
        return .timedOut(
            server: url.server,
            reason: elapsed + 0.1 >= left / .seconds(1)
                ? "no whole answer within \(Self.text(limits.totalSeconds)) s"
                : "fewer than \(limits.slowestBytesPerSecond) bytes a second moved"
                    + " for \(limits.stallSeconds) s")
    }

    /// The kernel's reason, when the last failure was a system call's.
    private var systemReason: String? {
        let number = epitaph_curl_long(handle, CURLINFO_OS_ERRNO)
        guard number != 0, let errorNumber = Int32(exactly: number) else { return nil }
        return SystemError(call: "connect", subject: url.server, errorNumber: errorNumber).reason
    }
}
