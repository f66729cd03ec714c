// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem

package struct AccessKeySource: Sendable {
    /// An absolute path or `credential:NAME`; nil to look in the environment.
    package let file: String?
    package let profile: String?
    private let environment: @Sendable (String) -> String?

    /// - Parameters:
    ///   - file: in the format of AWS's tools; nil for the environment's key or file.
    ///   - environment: nil for a variable that is not set or empty.
    package init(
        file: String? = nil, profile: String? = nil,
        environment: @escaping @Sendable (String) -> String? =
            CurrentProcess.environmentVariable
    ) {
        self.file = file
        self.profile = profile
        self.environment = environment
    }

    /// - Throws: which key is missing, or which file cannot be read and why.
    package func key() throws(SigningError) -> AccessKey {
        if file == nil, profile == nil, let id = environment("AWS_ACCESS_KEY_ID"),
            let secret = environment("AWS_SECRET_ACCESS_KEY")
        {
            return AccessKey(
                id: id, secret: secret, sessionToken: environment("AWS_SESSION_TOKEN"))
        }
        let section = profile ?? environment("AWS_PROFILE") ?? "default"
        let file: SecretFile
        let text: String
        do throws(SecretError) {
            file = try secretFile()
            text = try file.text()
        } catch {
            throw SigningError(
                self.file != nil || profile != nil
                    ? error.description
                    : "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and \(error)")
        }
        guard let key = SharedCredentials(text).key(of: section) else {
            throw SigningError(
                "\(file.path) has no aws_access_key_id with aws_secret_access_key for \(section)")
        }
        return key
    }

    /// A sentence if every user may read the key; nil if not, or if it is not in a file.
    package var warning: String? {
        let isInEnvironment =
            file == nil && profile == nil && environment("AWS_ACCESS_KEY_ID") != nil
        return isInEnvironment ? nil : (try? secretFile())?.warning
    }

    private func secretFile() throws(SecretError) -> SecretFile {
        let home = environment("HOME").map { $0 + "/.aws/credentials" }
        guard let path = file ?? environment("AWS_SHARED_CREDENTIALS_FILE") ?? home else {
            throw SecretError("no file with keys is known, since HOME is not set either")
        }
        return try SecretFile(path, credentials: environment("CREDENTIALS_DIRECTORY"))
    }
}
