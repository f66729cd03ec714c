// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphSystem
import Glibc

extension CurlExchange {
    func setTrust() throws(TransportError) {
        if let caFile = options.caFile {
            try requireReadable(caFile, as: "the CA file")
            try set(CURLOPT_CAINFO, caFile)
            try set(CURLOPT_CAPATH, nil)
            try set(CURLOPT_PROXY_CAINFO, caFile)
            try set(CURLOPT_PROXY_CAPATH, nil)
        }
        // Certificates are for servers reached by TLS; a wrong file does not prevent plain http.
        guard let certificate = options.clientCertificate, url.server.hasPrefix("https:") else {
            return
        }
        try requireReadable(certificate.certificateFile, as: "the client certificate")
        try requireReadable(certificate.keyFile, as: "the client certificate's key")
        try set(CURLOPT_SSLCERT, certificate.certificateFile)
        try set(CURLOPT_SSLKEY, certificate.keyFile)
        // Otherwise OpenSSL asks the terminal for the passphrase of an encrypted key. GnuTLS never
        // asks, and with this option treats every key as encrypted.
        if Self.isOpenSSL { try set(CURLOPT_KEYPASSWD, "") }
    }

    private static let isOpenSSL =
        epitaph_curl_version().map { String(cString: $0).has("OpenSSL") } ?? false

    /// Says which file cannot be read and why, as libcurl does not always. These may be links:
    /// certificates are often renewed that way.
    private func requireReadable(_ path: String, as role: String) throws(TransportError) {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
            let cause = SystemError(call: "open", subject: path, errorNumber: errno).reason
            throw .tls(server: url.server, reason: "\(role) \(path) cannot be read: \(cause)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .tls(server: url.server, reason: "\(role) \(path) is not a regular file")
        }
    }

    /// libcurl built with OpenSSL has an error code for this, with GnuTLS it has these words.
    func isCertificateProblem(_ detail: String) -> Bool {
        detail.hasPrefix("error reading X.509")
    }

    func certificateProblem(_ detail: String) -> String {
        guard let files = options.clientCertificate else { return detail }
        return "the client certificate \(files.certificateFile) with the key \(files.keyFile)"
            + " cannot be used: \(detail)"
    }

    /// For a server that ends the connection because of our certificate or without one; nil for
    /// other details. In TLS 1.3 that is while sending: RFC 8446 4.4.2.4. OpenSSL's text contains
    /// the name of the alert, RFC 8446 6.2; GnuTLS only says that there was one.
    func certificateRefusal(_ detail: String) -> String? {
        if detail.has("TLS fatal alert") {
            return "the server refuses us, for another client certificate perhaps (\(detail))"
        }
        let alerts = [
            "alert certificate required", "alert bad certificate", "alert unknown ca",
        ]
        guard alerts.contains(where: detail.has) else { return nil }
        return options.clientCertificate == nil
            ? "the server asks for a client certificate (\(detail))"
            : "the server does not accept the client certificate (\(detail))"
    }
}
