// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphValues

final class CurlExchange {
    private let curl: epitaph_curl
    let request: UploadRequest
    let url: UploadURL
    let options: TransportOptions
    let left: Duration
    let needsNewConnection: Bool

    private(set) var hasLostOldConnection = false
    private(set) var receivedBody: [UInt8] = []
    private(set) var isReceivedBodyCut = false
    private(set) var bodyFailure: TransportError?
    /// Why the transfer of the answer's body was aborted.
    private(set) var sinkFailure: TransportError?
    private var sunkBytes = 0
    private var bodyBytesLeft = 0
    private(set) var head: AnswerHead

    init(
        _ request: UploadRequest, to url: UploadURL, by curl: epitaph_curl,
        options: TransportOptions, left: Duration, needsNewConnection: Bool
    ) {
        self.curl = curl
        self.request = request
        self.url = url
        var options = options
        options.caFile = options.caFile ?? request.caFile
        options.clientCertificate = options.clientCertificate ?? request.clientCertificate
        self.options = options
        self.left = left
        self.needsNewConnection = needsNewConnection
        head = AnswerHead(limitBytes: options.headerLimitBytes)
    }

    var handle: UnsafeMutableRawPointer { curl.handle }

    /// - Returns: the answer, and for a 3xx its target, made absolute by libcurl.
    func perform() throws(TransportError) -> (response: UploadResponse, redirectTarget: String?) {
        try request.body.rewind()
        try request.answerSink?.restart()
        bodyBytesLeft = request.body.contentLength
        let headers = try CurlHeaders(request.headers)
        let detail = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        detail.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer {
            // The handle must not keep pointers to these. Connections and addresses stay.
            epitaph_curl_reset(handle)
            detail.deallocate()
        }
        try configure()
        try require(epitaph_curl_set_headers(handle, headers.list))
        try require(epitaph_curl_set_error_buffer(handle, detail))
        try setCallbacks()
        let code = withExtendedLifetime((self, headers)) { epitaph_curl_perform(curl) }
        try CurlLibrary.requireGoingOn()
        hasLostOldConnection =
            (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR)
            && epitaph_curl_long(handle, CURLINFO_NUM_CONNECTS) == 0
            && epitaph_curl_long(handle, CURLINFO_HEADER_SIZE) == 0
        // It may contain names from a certificate, which can be any text.
        let words = String(cString: detail).printable { _ in " " }
        let response = try answer(to: code, detail: words)
        let target = epitaph_curl_string(handle, CURLINFO_REDIRECT_URL)
        return (response, target.map { String(cString: $0) })
    }

    private func setCallbacks() throws(TransportError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try require(
            epitaph_curl_set_reader(
                handle,
                { buffer, size, count, context in
                    CurlExchange.from(context)?.fill(buffer, size &* count)
                        ?? Int(CURL_READFUNC_ABORT)
                },
                { context, offset, origin in
                    CurlExchange.from(context)?.seek(to: Int(offset), from: origin)
                        ?? CURL_SEEKFUNC_CANTSEEK
                },
                context))
        try require(
            epitaph_curl_set_writer(
                handle,
                { bytes, size, count, context in
                    CurlExchange.from(context)?.keep(bytes, size &* count) ?? 0
                },
                context))
        try require(
            epitaph_curl_set_header_writer(
                handle,
                { bytes, size, count, context in
                    let line = UnsafeRawBufferPointer(start: bytes, count: size &* count)
                    return CurlExchange.from(context)?.head.add(line) == true ? line.count : 0
                },
                context))
        guard options.shouldStop != nil else { return }
        try require(
            epitaph_curl_set_watcher(
                handle,
                { context, _, _, _, _ in
                    CurlExchange.from(context)?.options.shouldStop?() == true ? 1 : 0
                },
                context))
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// libcurl asks for up to `count` bytes of the body.
    private func fill(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let wanted = min(count, bodyBytesLeft)
        guard wanted > 0 else { return 0 }
        do {
            let filled = try request.body.read(
                into: UnsafeMutableRawBufferPointer(start: start, count: wanted))
            bodyBytesLeft -= filled
            guard filled > 0 else {
                throw TransportError.bodyUnreadable(reason: "it is shorter than its length")
            }
            return filled
        } catch {
            bodyFailure = error as? TransportError
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// libcurl starts over on a new connection, because the server had closed the reused one.
    private func seek(to offset: Int, from origin: Int32) -> Int32 {
        guard offset == 0, origin == 0 else { return CURL_SEEKFUNC_CANTSEEK }  // 0 is SEEK_SET
        do {
            try request.body.rewind()
            bodyBytesLeft = request.body.contentLength
            return CURL_SEEKFUNC_OK
        } catch {
            bodyFailure = error
            return CURL_SEEKFUNC_FAIL
        }
    }

    private func keep(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        // Only the body of a success goes to the sink; the words of a refusal are for people.
        if let sink = request.answerSink,
            (200..<300).contains(epitaph_curl_long(handle, CURLINFO_RESPONSE_CODE))
        {
            return pass(UnsafeRawBufferPointer(start: start, count: count), to: sink)
        }
        let room = max(options.keptResponseBytes - receivedBody.count, 0)
        let kept = min(count, room)
        receivedBody.append(contentsOf: UnsafeRawBufferPointer(start: start, count: kept))
        isReceivedBodyCut = kept < count
        return kept
    }
    private func pass(_ bytes: UnsafeRawBufferPointer, to sink: any AnswerSink) -> Int {
        do throws(TransportError) {
            // If the announced length is too large, fail at once.
            let announced = head.headers["Content-Length"].flatMap { Int($0) } ?? 0
            guard announced <= sink.limitBytes, bytes.count <= sink.limitBytes - sunkBytes else {
                throw .answerTooLarge(server: url.server, limitBytes: sink.limitBytes)
            }
            try sink.take(bytes)
            sunkBytes += bytes.count
            return bytes.count
        } catch {
            sinkFailure = error
            return bytes.isEmpty ? 1 : 0
        }
    }
}
