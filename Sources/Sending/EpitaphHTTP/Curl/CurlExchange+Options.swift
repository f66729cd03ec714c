// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

extension CurlExchange {
    func configure() throws(TransportError) {
        try set(CURLOPT_URL, url.text)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_USERAGENT, Self.userAgent)
        // Requests go one at a time, so HTTP/2 gains nothing; 1.1 always has a Content-Length.
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // Otherwise time limits on name lookup use SIGALRM, in a process that is not ours.
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a timed-out transfer waits for the thread that looks up the name.
        try set(CURLOPT_QUICK_EXIT, 1)
        if needsNewConnection { try set(CURLOPT_FRESH_CONNECT, 1) }
        try setTrust()
        try setProxy()
        try setMethod()
        try setTimeLimits()
    }

    private func setMethod() throws(TransportError) {
        let length = request.body.contentLength
        switch request.method {
        case .post:
            try set(CURLOPT_POST, 1)
            try require(epitaph_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, length))
        case .put:
            try set(CURLOPT_UPLOAD, 1)
            try require(epitaph_curl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, length))
        case .get:
            try set(CURLOPT_HTTPGET, 1)
        case .head:
            try set(CURLOPT_NOBODY, 1)
        }
    }

    private func setTimeLimits() throws(TransportError) {
        let limits = request.timeLimits
        let milliseconds = left / .milliseconds(1)
        guard milliseconds >= 1 else {
            throw .timedOut(
                server: url.server,
                reason: "no answer within \(Self.text(limits.total.inSeconds)) s")
        }
        // 0 would mean no limit at all.
        try set(CURLOPT_TIMEOUT_MS, Self.clamped(milliseconds))
        try set(
            CURLOPT_CONNECTTIMEOUT_MS,
            Self.clamped(min(limits.connect.inSeconds * 1000, milliseconds)))
        try set(CURLOPT_LOW_SPEED_LIMIT, max(limits.slowestBytesPerSecond, 1))
        try set(CURLOPT_LOW_SPEED_TIME, max(Int(limits.stall.inSeconds), 1))
    }

    func require(_ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else {
            throw .unavailable(reason: String(cString: epitaph_curl_strerror(code)))
        }
    }

    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try require(epitaph_curl_set_long(handle, option, value))
    }

    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        try require(epitaph_curl_set_string(handle, option, value))
    }

    /// Milliseconds, from 1 to the largest time that libcurl accepts, an Int32 internally.
    private static func clamped(_ milliseconds: Double) -> Int {
        Int(min(max(milliseconds, 1), Double(Int32.max)))
    }

    static func text(_ seconds: Double) -> String {
        Int(exactly: seconds).map(String.init) ?? String(seconds)
    }

    private static let userAgent: String = {
        // The first word of curl_version(3) is libcurl's name and version.
        let words = epitaph_curl_version().map { String(cString: $0) } ?? ""
        return HTTPHeader.product + " " + words.prefix { $0 != " " }
    }()
}
