// SPDX-License-Identifier: Apache-2.0

import CCurl
import Glibc
import ReportUpload

extension CurlExchange {
    func setProxy() throws(TransportError) {
        switch options.proxy {
        case .environment: break
        case .none: try set(CURLOPT_PROXY, "")
        case .server(let proxy):
            try set(CURLOPT_PROXY, proxy.address)
            // Otherwise no_proxy of the environment would still be heard.
            try set(CURLOPT_NOPROXY, "")
            guard let credentials = proxy.credentials else { break }
            try set(CURLOPT_PROXYUSERNAME, credentials.user)
            try set(CURLOPT_PROXYPASSWORD, credentials.password)
        }
    }

    /// For sentences: the proxy's address, or the variable that names it. The variable's value can
    /// be a login and is not shown.
    var proxyName: String {
        if case .server(let proxy) = options.proxy { return "the proxy \(proxy.address)" }
        return "the proxy in the environment's \(proxyVariable ?? "variables")"
    }

    /// Who could not be connected to: the proxy if there is one for sure, or perhaps.
    func connectionFailure(_ cause: String) -> String {
        switch options.proxy {
        case .none: cause
        case .server: "\(proxyName): \(cause)"
        case .environment: cause + (proxyVariable.map { "; \($0) names a proxy" } ?? "")
        }
    }

    /// The variable that libcurl takes a proxy for this URL from; HTTP_PROXY is not heard, because
    /// a CGI client could set it: CURLOPT_PROXY(3).
    private var proxyVariable: String? {
        let own = url.server.hasPrefix("https:") ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        return (own + ["all_proxy", "ALL_PROXY"]).first { name in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
    }

    /// A proxy's refusal is not the server's: RFC 9110 9.3.6, 15.5.8. The report may go through
    /// once the proxy lets it.
    func requireProxyConsent() throws(TransportError) {
        let answerToConnect = epitaph_curl_long(handle, CURLINFO_HTTP_CONNECTCODE)
        let status = epitaph_curl_long(handle, CURLINFO_RESPONSE_CODE)
        // To CONNECT anything but 2xx is the proxy's answer; in plain HTTP only 407 surely is.
        let refusal = answerToConnect / 100 > 2 ? answerToConnect : status == 407 ? status : 0
        guard refusal > 0 else { return }
        throw .cannotConnect(
            server: url.server,
            reason: refusal == 407
                ? "\(proxyName) asks for a user and password, or others than it was given"
                : "\(proxyName) answered \(refusal)")
    }
}
