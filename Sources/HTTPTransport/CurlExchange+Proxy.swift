// SPDX-License-Identifier: Apache-2.0

import CCurl
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

    /// For sentences: the proxy's address, as far as it is ours to know.
    var proxyName: String {
        if case .server(let proxy) = options.proxy { return "the proxy \(proxy.address)" }
        return "the proxy that the environment names"
    }

    /// A proxy's refusal is not the server's: RFC 9110 9.3.6, 15.5.8. The report may go through once
    /// the proxy lets it.
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
