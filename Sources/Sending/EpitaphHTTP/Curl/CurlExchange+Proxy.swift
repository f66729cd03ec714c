// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import Glibc

extension CurlExchange {
    func setProxy() throws(TransportError) {
        switch options.proxy {
        case .environment: break
        case .none: try set(CURLOPT_PROXY, "")
        case .server(let proxy):
            try set(CURLOPT_PROXY, proxy.address)
            // Otherwise no_proxy of the environment would still apply.
            try set(CURLOPT_NOPROXY, "")
            guard let credentials = proxy.credentials else { break }
            try set(CURLOPT_PROXYUSERNAME, credentials.user)
            try set(CURLOPT_PROXYPASSWORD, credentials.password)
        }
    }

    /// For messages: the address, or the variable, whose value may have a password.
    var proxyName: String {
        if case .server(let proxy) = options.proxy { return "the proxy \(proxy.address)" }
        return "the proxy in the environment's \(proxyVariable ?? "variables")"
    }

    /// What could not be connected to: the server, or the proxy if there may be one.
    func connectionFailure(_ cause: String) -> String {
        switch options.proxy {
        case .none: cause
        case .server: "\(proxyName): \(cause)"
        case .environment: cause + (proxyVariable.map { "; \($0) names a proxy" } ?? "")
        }
    }

    /// libcurl ignores HTTP_PROXY, because a CGI client could set it: CURLOPT_PROXY(3).
    private var proxyVariable: String? {
        let own = url.server.hasPrefix("https:") ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        return (own + ["all_proxy", "ALL_PROXY"]).first { name in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
    }

    /// A proxy's refusal is not the server's and may pass: RFC 9110 9.3.6, 15.5.8.
    func requireProxyConsent() throws(TransportError) {
        let answerToConnect = epitaph_curl_long(handle, CURLINFO_HTTP_CONNECTCODE)
        let status = epitaph_curl_long(handle, CURLINFO_RESPONSE_CODE)
        // An answer to CONNECT other than 2xx is the proxy's; in plain HTTP only 407 certainly is.
        let refusal = answerToConnect / 100 > 2 ? answerToConnect : status == 407 ? status : 0
        guard refusal > 0 else { return }
        throw .cannotConnect(
            server: url.server,
            reason: refusal == 407
                ? "\(proxyName) asks for a user and password, or others than it was given"
                : "\(proxyName) answered \(refusal)")
    }
}
