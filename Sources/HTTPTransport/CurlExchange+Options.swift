// SPDX-License-Identifier: Apache-2.0

import CCurl
import ReportUpload

extension CurlExchange {
    func configure() throws(TransportError) {
        try set(CURLOPT_URL, url.text)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_USERAGENT, Self.userAgent)
        // One request at a time gains nothing from HTTP/2, and Content-Length is certain with this
        // one.
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // Without this, time limits on name lookup are made with SIGALRM, in a process that is not
        // ours.
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise a transfer whose time is up still waits for the thread that looks up the name,
        // as long as the name server takes; with it that thread is left to end by itself.
        try set(CURLOPT_QUICK_EXIT, 1)
        if let caFile = options.caFile {
            try set(CURLOPT_CAINFO, caFile)
            try set(CURLOPT_CAPATH, nil)
        }
        if options.proxy == .none { try set(CURLOPT_PROXY, "") }
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
        }
    }

    private func setTimeLimits() throws(TransportError) {
        let limits = request.timeLimits
        let milliseconds = left / .milliseconds(1)
        guard milliseconds >= 1 else {
            throw .timedOut(
                server: url.server, reason: "no answer within \(Self.text(limits.totalSeconds)) s")
        }
        // 0 would mean no limit at all.
        try set(CURLOPT_TIMEOUT_MS, Self.clamped(milliseconds))
        try set(
            CURLOPT_CONNECTTIMEOUT_MS,
            Self.clamped(min(limits.connectSeconds * 1000, milliseconds)))
        try set(CURLOPT_LOW_SPEED_LIMIT, max(limits.slowestBytesPerSecond, 1))
        try set(CURLOPT_LOW_SPEED_TIME, max(limits.stallSeconds, 1))
    }

    func require(_ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else {
            throw .unavailable(reason: String(cString: epitaph_curl_strerror(code)))
        }
    }

    private func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try require(epitaph_curl_set_long(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        try require(epitaph_curl_set_string(handle, option, value))
    }

    /// Milliseconds from 1 to what libcurl takes for a time, an Int32 inside.
    private static func clamped(_ milliseconds: Double) -> Int {
        Int(min(max(milliseconds, 1), Double(Int32.max)))
    }

    /// Seconds without a pointless fraction.
    static func text(_ seconds: Double) -> String {
        Int(exactly: seconds).map(String.init) ?? String(seconds)
    }

    private static let userAgent: String = {
        // The first word of curl_version(3) is libcurl's name and version; TLS and other libraries
        // follow.
        let words = epitaph_curl_version().map { String(cString: $0) } ?? ""
        return HTTPHeader.product + " " + words.prefix { $0 != " " }
    }()
}

/// Header lines as libcurl's linked list, freed with the object.
final class CurlHeaders {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [HTTPHeader]) throws(TransportError) {
        for header in headers {
            // `Name:` would remove a header; this is how an empty one is asked for.
            try append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        // Waiting for a 100 that many servers never send costs a second per report.
        try append("Expect:")
        // libcurl would call it application/x-www-form-urlencoded.
        let typeName = HTTPHeader.Name.contentType.lowercased()
        if !headers.contains(where: { $0.name.lowercased() == typeName }) {
            try append("\(HTTPHeader.Name.contentType):")
        }
    }

    deinit {
        epitaph_curl_slist_free_all(list)
    }

    private func append(_ line: String) throws(TransportError) {
        guard let longer = epitaph_curl_slist_append(list, line) else {
            throw .unavailable(reason: "there is no memory for the request's headers")
        }
        list = longer
    }
}
