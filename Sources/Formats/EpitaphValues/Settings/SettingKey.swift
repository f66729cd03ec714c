// SPDX-License-Identifier: Apache-2.0

/// A setting `name = value`: docs/configuration.md and docs/service.md.
package struct SettingKey<Options: Sendable>: Sendable {
    package let name: String
    package let values: String
    package let meaning: String
    package let isRepeatable: Bool
    /// Whether a value may be a credential, which is never shown.
    package let isSecret: Bool
    package let text: @Sendable (Options) -> String
    package let apply: @Sendable (_ text: String, inout Options) -> Bool

    package init(
        _ name: String, _ values: String, _ meaning: String, isRepeatable: Bool = false,
        isSecret: Bool = false, text: @escaping @Sendable (Options) -> String,
        apply: @escaping @Sendable (String, inout Options) -> Bool
    ) {
        self.name = name
        self.values = values
        self.meaning = meaning
        self.isRepeatable = isRepeatable
        self.isSecret = isSecret
        self.text = text
        self.apply = apply
    }
}

extension SettingKey {
    package typealias Path<Value> = WritableKeyPath<Options, Value> & Sendable

    package static func flag(_ name: String, _ path: Path<Bool>, _ meaning: String) -> Self {
        Self(
            name, NumberForm.flag.words, meaning,
            text: { text(of: $0[keyPath: path]) },
            apply: { text, options in
                guard let flag = flag(text) else { return false }
                options[keyPath: path] = flag
                return true
            })
    }

    package static func text(of flag: Bool) -> String { NumberForm.flag.text(of: flag ? 1 : 0) }

    package static func flag(_ text: String) -> Bool? {
        NumberForm.flag.number(in: text).map { $0 != 0 }
    }

    package static func flag(
        _ name: String, _ path: Path<Bool?>, unset word: String, _ meaning: String
    ) -> Self {
        Self(
            name, "yes, no or \(word)", meaning,
            text: { $0[keyPath: path].map { text(of: $0) } ?? word },
            apply: { text, options in
                let flag = flag(text)
                guard flag != nil || text.lowercased() == word else { return false }
                options[keyPath: path] = flag
                return true
            })
    }

    package static func number<Value: FixedWidthInteger & Sendable>(
        _ name: String, _ path: Path<Value>, _ form: NumberForm, _ meaning: String
    ) -> Self {
        Self(
            name, form.words, meaning,
            text: { form.text(of: UInt64(clamping: $0[keyPath: path])) },
            apply: { text, options in
                guard let number = form.number(in: text).flatMap(Value.init(exactly:)) else {
                    return false
                }
                options[keyPath: path] = number
                return true
            })
    }

    package static func seconds(
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

    /// Without a decimal point if the number is whole.
    package static func plain(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    package static func choice<Value: CaseIterable & Sendable>(
        _ name: String, _ path: Path<Value>, _ meaning: String,
        word: @escaping @Sendable (Value) -> String
    ) -> Self {
        let words = Value.allCases.map(word)
        let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return Self(
            name, list, meaning, text: { word($0[keyPath: path]) },
            apply: { text, options in
                guard let value = Value.allCases.first(where: { word($0) == text.lowercased() })
                else { return false }
                options[keyPath: path] = value
                return true
            })
    }

    package static func text(
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

    /// The same key with another condition on its values.
    package func checking(_ isPermitted: @escaping @Sendable (String) -> Bool) -> Self {
        let apply = apply
        return Self(
            name, values, meaning, isRepeatable: isRepeatable, isSecret: isSecret, text: text,
            apply: { isPermitted($0) && apply($0, &$1) })
    }
}
