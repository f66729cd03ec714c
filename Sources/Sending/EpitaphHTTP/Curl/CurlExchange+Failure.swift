// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphSystem

extension CurlExchange {
    func failure(_ code: CURLcode, detail: String) -> TransportError {
        if let failure = tlsFailure(code, detail) ?? answerFailure(code, detail) { return failure }
        let server = url.server
        let reason = Self.reason(code)
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            return .cannotConnect(
                server: server, reason: connectionFailure(systemReason ?? reason))
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
            return .cannotConnect(server: server, reason: "\(proxyName): \(reason)")
        case CURLE_OPERATION_TIMEDOUT:
            return timeout()
        case CURLE_ABORTED_BY_CALLBACK, CURLE_READ_ERROR:
            return .bodyUnreadable(reason: reason)
        case CURLE_URL_MALFORMAT:
            return .invalidURL(reason: "libcurl cannot read it")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            return .unavailable(reason: reason)
        default:
            return .interrupted(server: server, reason: systemReason ?? reason)
        }
    }

    private func tlsFailure(_ code: CURLcode, _ detail: String) -> TransportError? {
        let words = detail.isEmpty ? Self.reason(code) : detail
        switch code {
        case CURLE_SSL_CERTPROBLEM:
            return .tls(server: url.server, reason: certificateProblem(words))
        case CURLE_SSL_CONNECT_ERROR where isCertificateProblem(detail):
            return .tls(server: url.server, reason: certificateProblem(words))
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_SHUTDOWN_FAILED:
            return .tls(server: url.server, reason: certificateRefusal(detail) ?? words)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            return certificateRefusal(detail).map { .tls(server: url.server, reason: $0) }
        default:
            return nil
        }
    }

    /// For received bytes that are not an answer.
    private func answerFailure(_ code: CURLcode, _ detail: String) -> TransportError? {
        let reason: String
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL:
            // libcurl's code for an answer without a status line, HTTP/0.9.
            reason = "what came back has no valid status line"
        case CURLE_WEIRD_SERVER_REPLY:
            reason = "the status line or the headers make no sense"
        case CURLE_BAD_CONTENT_ENCODING:
            reason = Self.reason(code)
        case CURLE_RECV_ERROR where detail.has("chunked"):
            reason = "the chunks of its body make no sense"
        case CURLE_OUT_OF_MEMORY
        where epitaph_curl_offset(handle, CURLINFO_STARTTRANSFER_TIME_T) > 0:
            // libcurl's code for a header line of more than CURL_MAX_HTTP_HEADER bytes.
            reason = "one of its header lines has no end"
        default:
            return nil
        }
        return .invalidAnswer(server: url.server, reason: reason)
    }

    private static func reason(_ code: CURLcode) -> String {
        String(cString: epitaph_curl_strerror(code))
    }

    private func timeout() -> TransportError {
        let limits = request.timeLimits
        guard epitaph_curl_offset(handle, CURLINFO_PRETRANSFER_TIME_T) > 0 else {
            let seconds = min(limits.connect.inSeconds, left / .seconds(1))
            return .cannotConnect(
                server: url.server, reason: "no connection within \(Self.text(seconds)) s")
        }
        // With a tolerance: libcurl counts in whole milliseconds and starts later.
        let elapsed = Double(epitaph_curl_offset(handle, CURLINFO_TOTAL_TIME_T)) / 1e6
        return .timedOut(
            server: url.server,
            reason: elapsed + 0.1 >= left / .seconds(1)
                ? "no whole answer within \(Self.text(limits.total.inSeconds)) s"
                : "fewer than \(limits.slowestBytesPerSecond) bytes a second moved"
                    + " for \(Int(limits.stall.inSeconds)) s")
    }

    /// The kernel's reason, if the last failure was that of a system call.
    private var systemReason: String? {
        let number = epitaph_curl_long(handle, CURLINFO_OS_ERRNO)
        guard number != 0, let errorNumber = Int32(exactly: number) else { return nil }
        return SystemError(call: "connect", subject: url.server, errorNumber: errorNumber).reason
    }
}
