// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSystem
import EpitaphValues

struct ParsedArguments: Sendable {
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]
    private var defaults: [String: String] = [:]

    /// - Parameter words: the words behind the command's name.
    init(
        _ words: ArraySlice<String>, for command: CommandDescription,
        environment: (String) -> String? = CurrentProcess.environmentVariable
    ) throws(UsageError) {
        try sort(words, for: command)
        guard !has(.help) else { return }
        for option in command.options {
            guard let variable = option.environmentVariable else { continue }
            defaults[option.long] = environment(variable)
        }
        try check(command)
    }

    func has(_ option: OptionDescription) -> Bool {
        values[option.long] != nil
    }

    func value(of option: OptionDescription) -> String? {
        values[option.long]?.last ?? defaults[option.long]
    }

    func values(of option: OptionDescription) -> [String] {
        values[option.long] ?? []
    }

    func count(of option: OptionDescription) -> Int? {
        value(of: option).flatMap { Int($0) }
    }

    private mutating func sort(_ words: ArraySlice<String>, for command: CommandDescription)
        throws(UsageError)
    {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            } else if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2), &rest, command)
            } else if word.hasPrefix("-"), word.count > 1 {
                try takeShort(word.dropFirst(), &rest, command)
            } else {
                operands.append(word)
                guard command.takesCommandLine else { continue }
                operands += rest
                return
            }
        }
    }

    private mutating func takeLong(
        _ word: Substring, _ rest: inout ArraySlice<String>, _ command: CommandDescription
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let known = command.options + [.help]
        guard let option = known.first(where: { $0.long == name }) else {
            let near = likelyName(name, among: known.map(\.long), most: 3)
            let hint = near.map { " (did you mean --\($0)?)" } ?? ""
            throw UsageError("there is no option --\(name)" + hint)
        }
        if parts.count == 2 {
            guard option.valueName != nil else {
                throw UsageError("--\(name) takes no value")
            }
            try set(option, to: String(parts[1]))
        } else {
            try set(option, to: option.valueName == nil ? "" : rest.popFirst())
        }
    }

    // "-o FILE", "-oFILE", "-ab" for two flags.
    private mutating func takeShort(
        _ word: Substring, _ rest: inout ArraySlice<String>, _ command: CommandDescription
    ) throws(UsageError) {
        var letters = word
        while let letter = letters.popFirst() {
            let known = command.options + [.help]
            guard let option = known.first(where: { $0.short == letter }) else {
                throw UsageError("there is no option -\(letter)")
            }
            guard option.valueName != nil else {
                try set(option, to: "")
                continue
            }
            try set(option, to: letters.isEmpty ? rest.popFirst() : String(letters))
            return
        }
    }

    private mutating func set(_ option: OptionDescription, to value: String?) throws(UsageError) {
        guard let value, option.valueName == nil || !value.isEmpty else {
            throw UsageError("--\(option.long) needs a value: \(option.synopsis)")
        }
        guard option.isRepeatable || option.valueName == nil || values[option.long] == nil else {
            throw UsageError("--\(option.long) is given twice")
        }
        values[option.long, default: []].append(value)
    }

    private func check(_ command: CommandDescription) throws(UsageError) {
        for option in command.options {
            if option.isRequired, value(of: option) == nil {
                let hint = option.environmentVariable.map { " (or set \($0))" } ?? ""
                throw UsageError("\(option.synopsis) is missing\(hint)")
            }
            let given = values[option.long] ?? [defaults[option.long]].compactMap(\.self)
            for text in given where option.valueName != nil {
                try check(text, option.kind, of: "--\(option.long)")
            }
            for other in option.excludes where has(option) && values[other] != nil {
                throw UsageError("--\(option.long) and --\(other) cannot be combined")
            }
        }
        let required = command.operands.prefix { $0.isRequired }
        if operands.count < required.count {
            throw UsageError("\(required[operands.count].name) is missing")
        }
        if operands.count > command.operands.count, !command.hasRepeatedOperand {
            throw UsageError("unexpected operand: \"\(operands[command.operands.count])\"")
        }
        for (word, operand) in zip(operands, command.operands) {
            try check(word, operand.kind, of: operand.name)
        }
    }

    /// CommandLine.arguments has U+FFFD for bytes that are not UTF-8: the name of another file.
    private func isMarred(_ name: String) -> Bool { name.unicodeScalars.contains("\u{fffd}") }

    private func check(_ text: String, _ kind: ValueKind, of name: String) throws(UsageError) {
        switch kind {
        case .count where (Int(text) ?? 0) < 1:
            throw UsageError("\(name) takes a whole number, at least 1, not \"\(text)\"")
        case .wholeNumber where (Int(text) ?? -1) < 0:
            throw UsageError("\(name) takes a whole number, at least 0, not \"\(text)\"")
        case .seconds where !(0...1e9).contains(Double(text) ?? -1):
            throw UsageError("\(name) takes a number of seconds, not \"\(text)\"")
        case .choice(let words) where !words.contains(text):
            let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
            throw UsageError("\(name) takes \(list), not \"\(text)\"")
        case .time where UTCTime.date(parsing: text, now: Timestamp(secondsSince1970: 0)) == nil:
            throw UsageError(
                "\(name) takes a time as in 2026-08-22 or 2026-08-22T03:14:05Z, or a span as in "
                    + "2d, 12h or 30m, not \"\(text)\"")
        case .file where isMarred(text), .directory where isMarred(text),
            .report where isMarred(text):
            throw UsageError(
                "\(name): \"\(text)\" cannot be opened: names have to be UTF-8, without U+FFFD; "
                    + "rename it")
        default: break
        }
    }
}
