// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation

/// A self-signed certificate, made by openssl(1), with its key.
final class Certificate {
    let certificatePath: String
    let keyPath: String
    private let directory: TemporaryDirectory

    enum Validity {
        case now
        /// It ended yesterday.
        case past
    }

    /// - Parameter address: the server that it is for.
    init(address: String = "127.0.0.1", valid: Validity = .now) throws {
        directory = try TemporaryDirectory()
        certificatePath = directory.path("certificate.pem")
        keyPath = directory.path("key.pem")
        let request = directory.path("request.pem")
        let extensions = try directory.write(
            Array("subjectAltName=IP:\(address)\nbasicConstraints=CA:TRUE\n".utf8), to: "extensions"
        )
        try Self.openssl([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", "/CN=epitaph test", "-keyout", keyPath, "-out", request,
        ])
        try Self.openssl([
            "x509", "-req", "-in", request, "-signkey", keyPath, "-extfile", extensions,
            "-days", valid == .now ? "2" : "-1", "-out", certificatePath,
        ])
    }

    /// The key again, locked with a passphrase.
    func lockedKey() throws -> String {
        let path = directory.path("locked.pem")
        try Self.openssl(["ec", "-in", keyPath, "-aes256", "-passout", "pass:word", "-out", path])
        return path
    }

    private static func openssl(_ arguments: [String]) throws {
        let run = try Subprocess.run(["openssl"] + arguments)
        guard run.ending == .exited(0) else { throw NoServer(run.standardError) }
    }
}
