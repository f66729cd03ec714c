// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A Sentry project's DSN, `https://KEY@host[:port][/path]/PROJECT`: where it accepts events, and
/// the key for that.
///
/// Source: "DSN", docs.sentry.io/concepts/key-terms/dsn-explainer. The key only allows sending
/// events, but it is treated as a secret because one could flood the project with it.
struct SentryDSN {
    let key: String
    /// `…/api/PROJECT/minidump/` with the key in its query.
    let minidumpURL: UploadURL

    init(_ text: String) throws(SettingError) {
        let url: UploadURL
        do throws(TransportError) {
            url = try UploadURL(text)
        } catch {
            throw SettingError("the Sentry DSN", error)
        }
        // Sentry has not used the second half of KEY:SECRET since version 9.
        key = url.userInformation?.user ?? ""
        guard !key.isEmpty, key.utf8.allSatisfy(isAlphanumeric) else {
            throw Self.fault("its key, the letters and digits before the @, is missing or wrong")
        }
        guard url.query.isEmpty else {
            throw Self.fault("it has a ? and something after it, which no DSN has")
        }
        let parts = url.path.split(separator: "/")
        guard let project = parts.last, project.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            !url.path.hasSuffix("/")
        else {
            throw Self.fault("its project, the number after the last /, is missing or wrong")
        }
        let path = parts.dropLast().map { "/" + $0 }.joined()
        do throws(TransportError) {
            minidumpURL = try UploadURL("\(url.server)\(path)/api/\(project)/minidump/")
                .adding([("sentry_key", key)])
        } catch {
            throw SettingError("the Sentry DSN", error)
        }
    }

    private static func fault(_ reason: String) -> SettingError {
        SettingError(
            "the Sentry DSN cannot be used: \(reason); copy it from the project's settings,"
                + " Client Keys (DSN)")
    }
}
