// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph.Configuration {
    /// A setting that an operator can change in a file or in the environment.
    public struct Key: Sendable {
        /// The name in a file, for example `breadcrumbs`.
        public let name: String
        /// The permitted values, in words that follow "is".
        public let values: String
        /// What the setting does, in a sentence.
        public let meaning: String
        /// Whether it may occur several times in a file; each occurrence adds a value.
        public let isRepeatable: Bool
        /// Returns false for an invalid text, leaving the configuration unchanged.
        let apply: @Sendable (_ text: String, inout Epitaph.Configuration) -> Bool
        let text: @Sendable (Epitaph.Configuration) -> String

        init(
            _ name: String, _ values: String, _ meaning: String, isRepeatable: Bool = false,
            text: @escaping @Sendable (Epitaph.Configuration) -> String,
            apply: @escaping @Sendable (String, inout Epitaph.Configuration) -> Bool
        ) {
            self.name = name
            self.values = values
            self.meaning = meaning
            self.isRepeatable = isRepeatable
            self.text = text
            self.apply = apply
        }

        /// The default value as text; empty if there is none.
        public var defaultText: String {
            text(Epitaph.Configuration(databasePath: "", bundleID: ""))
        }

        /// The environment variable, for example `EPITAPH_BREADCRUMBS`.
        public var environmentName: String { "EPITAPH_" + name.uppercased() }
    }

    /// The names of the settings that differ.
    func differences(from other: Epitaph.Configuration) -> [String] {
        var names = Self.keys.filter { $0.text(self) != $0.text(other) }.map(\.name)
        if annotations != other.annotations { names.append("annotations") }
        return names
    }
}

// Common forms of values.
extension Epitaph.Configuration.Key {
    typealias Path<Value> = WritableKeyPath<Epitaph.Configuration, Value> & Sendable

    static func flag(_ name: String, _ path: Path<Bool>, _ meaning: String) -> Self {
        Self(
            name, "yes or no", meaning, text: { $0[keyPath: path] ? "yes" : "no" },
            apply: { text, configuration in
                guard let flag = flag(text) else { return false }
                configuration[keyPath: path] = flag
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

    static func number<Value: FixedWidthInteger & Sendable>(
        _ name: String, _ path: Path<Value>, in range: ClosedRange<Value>, _ meaning: String
    ) -> Self {
        Self(
            name, "a whole number from \(range.lowerBound) to \(range.upperBound)", meaning,
            text: { "\($0[keyPath: path])" },
            apply: { text, configuration in
                guard let number = Value(text), range.contains(number) else { return false }
                configuration[keyPath: path] = number
                return true
            })
    }

    static func seconds(
        _ name: String, _ path: Path<Double>, in range: ClosedRange<Double>, _ meaning: String
    ) -> Self {
        Self(
            name,
            "a number of seconds from \(plain(range.lowerBound)) to \(plain(range.upperBound))",
            meaning, text: { plain($0[keyPath: path]) },
            apply: { text, configuration in
                guard let number = Double(text), range.contains(number) else { return false }
                configuration[keyPath: path] = number
                return true
            })
    }

    /// A number of bytes, optionally followed by KiB, MiB or GiB.
    static func size<Value: FixedWidthInteger & Sendable>(
        _ name: String, _ path: Path<Value>, in range: ClosedRange<Value>, _ meaning: String
    ) -> Self {
        Self(
            name, "a size from \(sizeText(range.lowerBound)) to \(sizeText(range.upperBound))",
            meaning, text: { sizeText($0[keyPath: path]) },
            apply: { text, configuration in
                guard let size = size(text), let value = Value(exactly: size),
                    range.contains(value)
                else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }

    static func choice<Value: CaseIterable & Sendable>(
        _ name: String, _ path: Path<Value>, _ meaning: String,
        word: @escaping @Sendable (Value) -> String
    ) -> Self {
        let words = Value.allCases.map(word)
        let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return Self(
            name, list, meaning, text: { word($0[keyPath: path]) },
            apply: { text, configuration in
                guard let value = Value.allCases.first(where: { word($0) == text.lowercased() })
                else { return false }
                configuration[keyPath: path] = value
                return true
            })
    }

    static func words(
        _ name: String, _ path: Path<[String]>, _ values: String, _ meaning: String
    ) -> Self {
        Self(
            name, values, meaning, text: { $0[keyPath: path].joined(separator: " ") },
            apply: { text, configuration in
                configuration[keyPath: path] = text.split { $0 == " " || $0 == "," }.map(
                    String.init)
                return true
            })
    }

    static func plain(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    }

    private static let units: [(name: String, bytes: UInt64)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
    ]

    static func sizeText(_ size: some FixedWidthInteger) -> String {
        let bytes = UInt64(clamping: size)
        let unit = units.first { bytes >= $0.bytes && bytes % $0.bytes == 0 }
        return unit.map { "\(bytes / $0.bytes) \($0.name)" } ?? "\(bytes) bytes"
    }

    static func size(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let word = text[digits.endIndex...].drop { $0 == " " }.lowercased()
        guard let number = UInt64(digits) else { return nil }
        if word.isEmpty || word == "bytes" { return number }
        guard let unit = units.first(where: { $0.name.lowercased() == word }) else { return nil }
        let (size, isTooLarge) = number.multipliedReportingOverflow(by: unit.bytes)
        return isTooLarge ? nil : size
    }
}
