// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP

package struct ServiceKey<Options: Sendable>: Sendable {
    /// For example `metrics_file`.
    package let name: String
    /// The permitted values, in words that follow "is".
    package let values: String
    package let meaning: String
    /// Whether a value may be a credential, which is never shown.
    package let isSecret: Bool
    /// Returns false for an invalid text, leaving the options unchanged.
    let apply: @Sendable (_ text: String, inout Options) -> Bool
    /// The value as in a file; empty if there is none.
    package let text: @Sendable (Options) -> String

    init(
        _ name: String, _ values: String, _ meaning: String, isSecret: Bool = false,
        text: @escaping @Sendable (Options) -> String,
        apply: @escaping @Sendable (String, inout Options) -> Bool
    ) {
        self.name = name
        self.values = values
        self.meaning = meaning
        self.isSecret = isSecret
        self.text = text
        self.apply = apply
    }
}

// Forms of values: docs/configuration.md.
extension ServiceKey {
    typealias Path<Value> = WritableKeyPath<Options, Value> & Sendable

    static func flag(_ name: String, _ path: Path<Bool>, _ meaning: String) -> Self {
        Self(
            name, "yes or no", meaning, text: { $0[keyPath: path] ? "yes" : "no" },
            apply: { text, options in
                guard let flag = flag(text) else { return false }
                options[keyPath: path] = flag
                return true
            })
    }

    static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }

    static func number(
        _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>, _ meaning: String
    ) -> Self {
        Self(
            name, "a whole number from \(range.lowerBound) to \(range.upperBound)", meaning,
            text: { "\($0[keyPath: path])" },
            apply: { text, options in
                guard let number = Int(text), range.contains(number) else { return false }
                options[keyPath: path] = number
                return true
            })
    }

    static func seconds(
        _ name: String, _ path: Path<Double>, in range: ClosedRange<Double>, _ meaning: String
    ) -> Self {
        let bounds = "\(plain(range.lowerBound)) to \(plain(range.upperBound))"
        return Self(
            name, "a number of seconds from \(bounds)", meaning,
            text: { plain($0[keyPath: path]) },
            apply: { text, options in
                guard let number = Double(text), range.contains(number) else { return false }
                options[keyPath: path] = number
                return true
            })
    }

    private static func plain(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    /// An absolute path. A secret's file may be one of systemd's credentials.
    static func path(
        _ name: String, _ path: Path<String?>, of what: String, mayBeCredential: Bool = false,
        _ meaning: String
    ) -> Self {
        let values = mayBeCredential ? ", credential:NAME, or none" : ", or none"
        return .text(name, path, "the absolute path of \(what)" + values, meaning) { text in
            text.hasPrefix("/") || mayBeCredential && SecretFile.credential(text) != nil
        }
    }

    /// A text that satisfies a condition, or the word for none.
    static func text(
        _ name: String, _ path: Path<String?>, none: String = "none", _ values: String,
        _ meaning: String, isSecret: Bool = false,
        isPermitted: @escaping @Sendable (String) -> Bool
    ) -> Self {
        Self(
            name, values, meaning, isSecret: isSecret, text: { $0[keyPath: path] ?? none },
            apply: { text, options in
                guard text == none || isPermitted(text) else { return false }
                options[keyPath: path] = text == none ? nil : text
                return true
            })
    }
}
