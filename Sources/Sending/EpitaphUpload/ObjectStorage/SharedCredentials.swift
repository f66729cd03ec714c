// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP

/// A file of keys in the format of AWS's tools, `~/.aws/credentials`: "Configuration and credential
/// file settings", docs.aws.amazon.com/cli/latest/userguide.
struct SharedCredentials {
    /// Settings by section; those before the first section belong to `default`.
    private var sections: [String: [String: String]] = [:]

    init(_ text: String) {
        var section = "default"
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            guard let first = line.first, first != "#", first != ";" else { continue }
            if first == "[", let end = line.firstIndex(of: "]") {
                section = line[..<end].dropFirst().trimmed
            } else if let (name, value) = line.halves(at: "=") {
                sections[section, default: [:]][name.trimmed.lowercased()] = value.trimmed
            }
        }
    }

    func key(of section: String) -> AccessKey? {
        guard let values = sections[section], let id = values["aws_access_key_id"], !id.isEmpty,
            let secret = values["aws_secret_access_key"], !secret.isEmpty
        else { return nil }
        return AccessKey(
            id: id, secret: secret,
            sessionToken: values["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 })
    }
}
