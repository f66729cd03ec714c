// SPDX-License-Identifier: Apache-2.0

/// A line of a file of settings, docs/configuration.md.
package enum SettingLine: Sendable, Equatable {
    case nothing
    /// `[WORDS]`; nil without the closing bracket.
    case section(String?)
    case setting(key: String, value: String)
    case problem(String)

    package init(_ bytes: ArraySlice<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            self = .problem("it is not UTF-8")
            return
        }
        let line = text.trimmed
        guard !line.isEmpty, !line.hasPrefix("#") else {
            self = .nothing
            return
        }
        if line.hasPrefix("[") {
            self = .section(line.hasSuffix("]") ? line.dropFirst().dropLast().trimmed : nil)
            return
        }
        guard let (key, value) = line.halves(at: "="), !key.trimmed.isEmpty else {
            self = .problem("a line is written key = value")
            return
        }
        self = .setting(key: key.trimmed, value: value.trimmed.unquoted)
    }
}

extension String {
    /// Quotation marks preserve blanks at the beginning and end of a value.
    package var unquoted: String {
        guard count >= 2, hasPrefix("\""), hasSuffix("\"") else { return self }
        return String(dropFirst().dropLast())
    }
}
