// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A Sentry project's DSN, `https://KEY@host[:port][/path]/PROJECT`, perhaps with a question mark
/// and what reports are made of: "DSN", docs.sentry.io/concepts/key-terms/dsn-explainer. The key
/// only allows sending events, but it is secret because one could flood the project with it.
struct SentryDSN {
    let key: String
    /// Who finds the frames that the project shows.
    let frames: SentryDestination.Frames
    /// Whether the minidump is sent beside our own frames.
    let sendsMinidump: Bool
    /// `…/api/PROJECT/minidump/` or `…/envelope/` with the key in its query.
    let url: UploadURL

    init(_ text: String) throws(SettingError) {
        let url = try UploadURL(text, of: "the Sentry DSN")
        // Sentry has not used the second half of KEY:SECRET since version 9.
        key = url.userInformation?.user ?? ""
        guard !key.isEmpty, key.utf8.allSatisfy(isAlphanumeric) else {
            throw Self.fault("its key, the letters and digits before the @, is missing or wrong")
        }
        let words = Set(url.query.split(separator: "&"))
        frames = words.contains("frames=own") ? .own : .server
        sendsMinidump = !words.contains("minidump=no")
        let known: Set<Substring> =
            frames == .own ? ["frames=own", "minidump=no"] : ["frames=server"]
        guard words.isSubset(of: known) else {
            throw Self.fault(
                "after its ? stands frames=server, frames=own or frames=own&minidump=no")
        }
        let parts = url.path.split(separator: "/")
        guard let project = parts.last, project.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            !url.path.hasSuffix("/")
        else {
            throw Self.fault("its project, the number after the last /, is missing or wrong")
        }
        let path = parts.dropLast().map { "/" + $0 }.joined()
        let endpoint = frames == .own ? "envelope" : "minidump"
        self.url = try UploadURL(
            "\(url.server)\(path)/api/\(project)/\(endpoint)/", of: "the Sentry DSN"
        ).adding([("sentry_key", key)])
    }

    private static func fault(_ reason: String) -> SettingError {
        SettingError(
            "the Sentry DSN cannot be used: \(reason); copy it from the project's settings,"
                + " Client Keys (DSN)")
    }
}
