// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ScrubbingRules {
    private static let fileByteLimit = 1 << 20
    private static let keys = [
        "annotations", "form", "home-directories", "memory", "remove", "stacks", "unknown",
    ]

    /// Reads a rules file (docs/scrubbing.md), JSON in UTF-8, named `path` in errors. Throws for
    /// anything unknown: a misspelt key would leak something.
    package init(json bytes: ByteSlice, path: String) throws(SettingError) {
        self.init()
        guard bytes.count <= Self.fileByteLimit else {
            throw SettingError("it is longer than 1 MiB; rules are short", in: path)
        }
        let value = try rethrowing(JSONValue(parsing: bytes.array)) { (_: JSONMistake) in
            SettingError(
                "it is not JSON; check its commas, quotes and brackets, or see "
                    + "docs/scrubbing.md for an example", in: path)
        }
        for (key, value) in try value.object(path, "").inKeyOrder {
            try read(value, of: key, path)
        }
    }

    private mutating func read(
        _ value: JSONValue, of key: String, _ path: String
    ) throws(SettingError) {
        let place = "\(path): \"\(key.printable())\""
        switch key {
        case "annotations": annotations = try Self.keyRules(value, key, path)
        case "form": form = try Self.keyRules(value, key, path)
        case "memory": memory = try Self.memory(try value.text(place, Self.memoryExample), place)
        case "stacks":
            sanitizesStacks = try value.choice(place, "sanitize", otherwise: "keep")
        case "home-directories":
            hidesHomeDirectories = try value.choice(place, "hide", otherwise: "keep")
        case "unknown": keepsUnknown = try value.choice(place, "keep", otherwise: "remove")
        case "remove":
            for word in try value.texts(place) {
                removedParts.insert(try Self.part(word, place))
            }
        default: throw .unknown(key, at: path, choices: Self.keys)
        }
    }

    private static let memoryExample = "one of " + SettingError.list(ScrubbingOption.memoryWords)

    private static func keyRules(
        _ value: JSONValue, _ key: String, _ path: String
    ) throws(SettingError) -> KeyRules {
        var rules = KeyRules()
        for (list, value) in try value.object(path, key) {
            let place = "\(path): \"\(key).\(list.printable())\""
            var patterns: [KeyPattern] = []
            for text in try value.texts(place) { patterns.append(try pattern(text, place)) }
            switch list {
            case "allow": rules.allowed = patterns
            case "deny": rules.denied = patterns
            default: throw .unknown(list, at: "\(path): \"\(key)\"", choices: ["allow", "deny"])
            }
        }
        return rules
    }
}

/// Values of a rules file, whose types are not known in advance.
extension JSONValue {
    fileprivate func object(_ path: String, _ key: String) throws(SettingError) -> [String:
        JSONValue]
    {
        guard case .object(let members) = self else {
            throw SettingError(
                "it must be an object: { … } with keys and values",
                in: key.isEmpty ? path : "\(path): \"\(key)\"")
        }
        return members
    }

    fileprivate func text(_ place: String, _ example: String) throws(SettingError) -> String {
        guard case .text(let text) = self else {
            throw SettingError("it must be a text: write \(example)", in: place)
        }
        return text
    }

    fileprivate func texts(_ place: String) throws(SettingError) -> [String] {
        let mistake = SettingError(
            "it must be a list of texts: write [\"one\", \"another\"]", in: place)
        guard case .list(let values) = self else { throw mistake }
        var texts: [String] = []
        for value in values {
            guard case .text(let text) = value else { throw mistake }
            texts.append(text)
        }
        return texts
    }

    fileprivate func choice(
        _ place: String, _ word: String, otherwise other: String
    ) throws(SettingError) -> Bool {
        let text = try text(place, "\"\(word)\" or \"\(other)\"")
        guard text == word || text == other else {
            throw .unknown(text, at: place, choices: [word, other])
        }
        return text == word
    }
}

extension SettingError {
    static func unknown(_ word: String, at place: String, choices: [String]) -> SettingError {
        SettingError(
            "\"\(word.printable())\" is not known; choose \(Self.list(choices))", in: place)
    }

    static func list(_ choices: [String]) -> String {
        guard let last = choices.last, choices.count > 1 else { return choices.first ?? "nothing" }
        return choices.dropLast().joined(separator: ", ") + " or " + last
    }
}
