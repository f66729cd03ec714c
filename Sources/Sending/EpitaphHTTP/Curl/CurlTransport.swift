// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import CEpitaphSystem

/// Sends requests with libcurl on one handle, so that connections are reused. No signals, cookies
/// or `.netrc`, and no whole body in memory. For one thread at a time. A request in progress does
/// not outlive the beginning of exit(3).
package final class CurlTransport: Transport {
    private let curl: epitaph_curl
    private let options: TransportOptions

    /// - Throws: `.unavailable` if libcurl cannot be loaded or initialised.
    package init(_ options: TransportOptions = TransportOptions()) throws(TransportError) {
        try CurlLibrary.require()
        curl = epitaph_curl_init()
        self.options = options
        guard curl.handle != nil, curl.connections != nil else {
            try CurlLibrary.requireGoingOn()
            throw .unavailable(reason: "there is no memory for libcurl's state")
        }
    }

    deinit {
        epitaph_curl_cleanup(curl)
    }

    package func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        let clock = ContinuousClock()
        // A week is as good as no limit, and Duration cannot express infinity.
        let total = min(request.timeLimits.total.inSeconds, 604_800)
        let deadline = clock.now + .seconds(total > 0 ? total : 0)
        var url = request.url
        for _ in 0...options.redirectLimit {
            var (response, target) = try exchange(request, to: url, until: deadline)
            // Secrets that a server repeats would end up in logs and reports.
            response.body = request.secrets.hidden(in: response.body)
            response.headers = response.headers.mapValues { request.secrets.hidden(in: $0) }
            // Only these keep method and body (RFC 9110 15.4.8, 15.4.9); others become a GET.
            guard (300..<400).contains(response.status), let target, request.redirects != .none
            else {
                return response
            }
            let place = try? UploadURL(target)
            guard let next = place.flatMap({ url.redirected(to: $0) }),
                [307, 308].contains(response.status)
            else {
                throw .redirectRefused(
                    server: url.server, target: place?.server ?? "another place")
            }
            url = next
        }
        throw .redirectRefused(server: url.server, target: url.server + " again and again")
    }

    /// A server may close an idle connection while a request is on its way. libcurl repeats the
    /// request only if it has sent none of its body yet: RFC 9112 9.5.
    private func exchange(
        _ request: UploadRequest, to url: UploadURL, until deadline: ContinuousClock.Instant
    ) throws(TransportError) -> (response: UploadResponse, redirectTarget: String?) {
        func make(onNewConnection: Bool) -> CurlExchange {
            CurlExchange(
                request, to: url, by: curl, options: options,
                left: deadline - ContinuousClock.now, needsNewConnection: onNewConnection)
        }
        let first = make(onNewConnection: false)
        do {
            return try first.perform()
        } catch {
            guard first.hasLostOldConnection else { throw error }
            return try make(onNewConnection: true).perform()
        }
    }
}

enum CurlLibrary {
    /// Nil if libcurl can be used, otherwise why not.
    private static let problem = epitaph_curl_load().map {
        "libcurl cannot be loaded (\(String(cString: $0))); "
            + "install it to send reports, on Debian with: apt-get install libcurl4"
    }

    /// Must succeed before any other call of libcurl.
    static func require() throws(TransportError) {
        if let problem { throw .unavailable(reason: problem) }
    }

    static func requireGoingOn() throws(TransportError) {
        if epitaph_exit_gate_is_closed() { throw .unavailable(reason: "this process is ending") }
    }
}
