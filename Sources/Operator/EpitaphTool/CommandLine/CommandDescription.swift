// SPDX-License-Identifier: Apache-2.0

/// The description of a command. The parser uses it; `--help` and the manual page are made from it.
struct CommandDescription: Sendable {
    let name: String
    /// One sentence without a full stop.
    let abstract: String
    /// Paragraphs separated by an empty line; they are wrapped when shown.
    let discussion: String
    let operands: [OperandDescription]
    let options: [OptionDescription]
    let examples: [Example]
    let run: @Sendable (ParsedArguments, Output) throws(CommandFailure) -> Void

    struct Example: Sendable {
        let commandLine: String
        let meaning: String

        init(_ words: String, _ meaning: String) {
            self.init(line: "\(ProgramDescription.name) \(words)", meaning)
        }

        init(line: String, _ meaning: String) {
            commandLine = line
            self.meaning = meaning
        }
    }
}

struct OperandDescription: Sendable {
    let name: String
    let abstract: String
    let isRequired: Bool
    let kind: ValueKind
    let isRepeatable: Bool
    /// Whether its words are another program's command line: options end at the first operand.
    let isCommandLine: Bool

    init(
        _ name: String, _ abstract: String, isRequired: Bool, kind: ValueKind,
        isRepeatable: Bool = false, isCommandLine: Bool = false
    ) {
        self.name = name
        self.abstract = abstract
        self.isRequired = isRequired
        self.kind = kind
        self.isRepeatable = isRepeatable
        self.isCommandLine = isCommandLine
    }

    func synopsis(styled: (String) -> String = { $0 }) -> String {
        let word = styled(name)
        return (isRequired ? word : "[\(word)]") + (isRepeatable || isCommandLine ? "..." : "")
    }
}

extension CommandDescription {
    var takesCommandLine: Bool { operands.last?.isCommandLine ?? false }

    var requiredOptions: [OptionDescription] {
        options.filter { $0.isRequired && $0.environmentVariable == nil }
    }

    var hasRepeatedOperand: Bool {
        operands.last.map { $0.isRepeatable || $0.isCommandLine } ?? false
    }
}

enum ValueKind: Sendable, Equatable {
    case text
    /// From 1 on.
    case count
    case wholeNumber
    /// From 0 on, with or without a fraction.
    case seconds
    case choice([String])
    case file
    case directory
    /// Operand of `show`.
    case report
    case command
    case time
}

struct OptionDescription: Sendable {
    let long: String
    /// Without the hyphen.
    let short: Character?
    /// The value's name in the synopsis; nil for a flag.
    let valueName: String?
    let kind: ValueKind
    let isRepeatable: Bool
    let isRequired: Bool
    /// Used if the option is not given.
    let environmentVariable: String?
    /// Long names of options that it cannot be combined with.
    let excludes: [String]
    /// A sentence without a full stop.
    let abstract: String

    init(
        _ long: String, short: Character? = nil, value valueName: String? = nil,
        kind: ValueKind = .text, isRepeatable: Bool = false, isRequired: Bool = false,
        environmentVariable: String? = nil,
        excludes: [String] = [], _ abstract: String
    ) {
        self.long = long
        self.short = short
        self.valueName = valueName
        self.kind = kind
        self.isRepeatable = isRepeatable
        self.isRequired = isRequired
        self.environmentVariable = environmentVariable
        self.excludes = excludes
        self.abstract = abstract
    }

    var briefName: String { short.map { "-\($0)" } ?? "--\(long)" }

    var synopsis: String {
        let names = (short.map { "-\($0), " } ?? "") + "--\(long)"
        return valueName.map { "\(names) \($0)" } ?? names
    }

    var explanation: String {
        var text = abstract
        if isRepeatable { text += "; can be repeated" }
        if let environmentVariable { text += "; default: $\(environmentVariable)" }
        return text
    }
}

extension OptionDescription {
    static let help = OptionDescription("help", short: "h", "print this text and exit")
}
