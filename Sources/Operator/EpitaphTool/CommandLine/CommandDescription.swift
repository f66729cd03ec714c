// SPDX-License-Identifier: Apache-2.0

/// The description of one command. The parser uses it, and `--help` and the manual page are made
/// from it.
struct CommandDescription: Sendable {
    let name: String
    /// One sentence without a full stop.
    let abstract: String
    /// Paragraphs with an empty line between them; they are wrapped again when shown.
    let discussion: String
    let operands: [OperandDescription]
    let options: [OptionDescription]
    let examples: [Example]
    let run: @Sendable (ParsedArguments, Output) throws(CommandFailure) -> Void

    struct Example: Sendable {
        let commandLine: String
        let meaning: String

        /// - Parameter words: what follows the program's name.
        init(_ words: String, _ meaning: String) {
            self.init(line: "\(ProgramDescription.name) \(words)", meaning)
        }

        init(line: String, _ meaning: String) {
            commandLine = line
            self.meaning = meaning
        }
    }
}

/// A word of the command line that is not an option.
struct OperandDescription: Sendable {
    /// In capitals, as in the synopsis.
    let name: String
    let abstract: String
    let isRequired: Bool
    let kind: ValueKind
    /// Whether it stands for any number of words, one at least if it is required.
    let isRepeatable: Bool
    /// Whether its words are another program's command line: then nothing behind the first operand
    /// is an option.
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

    /// `NAME`, `[NAME]` or `[NAME]...`, with the name as `styled`.
    func synopsis(styled: (String) -> String = { $0 }) -> String {
        let word = styled(name)
        return (isRequired ? word : "[\(word)]") + (isRepeatable || isCommandLine ? "..." : "")
    }
}

extension CommandDescription {
    /// Whether its operands are another program's command line.
    var takesCommandLine: Bool { operands.last?.isCommandLine ?? false }

    /// Those that a command line has to have.
    var requiredOptions: [OptionDescription] {
        options.filter { $0.isRequired && $0.environmentVariable == nil }
    }

    /// Whether its last operand stands for any number of words.
    var hasRepeatedOperand: Bool {
        operands.last.map { $0.isRepeatable || $0.isCommandLine } ?? false
    }
}

/// The kind of a value or an operand: the parser checks it, and shells complete it.
enum ValueKind: Sendable, Equatable {
    /// Anything.
    case text
    /// A whole number from 1 on.
    case count
    /// A whole number from 0 on.
    case wholeNumber
    /// A number of seconds from 0 on, with a fraction or without.
    case seconds
    /// One of these words.
    case choice([String])
    case file
    case directory
    /// What `show` takes.
    case report
    /// The name of a command.
    case command
    /// A point in time, or a span before now.
    case time
}

struct OptionDescription: Sendable {
    /// Without the two hyphens.
    let long: String
    /// Without the hyphen.
    let short: Character?
    /// The name of the value in the synopsis; nil for an option without one.
    let valueName: String?
    let kind: ValueKind
    let isRepeatable: Bool
    let isRequired: Bool
    /// Used if the option is not given.
    let environmentVariable: String?
    /// Long names of the options with which it cannot be combined.
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

    /// `-o`, or `--output` if there is no letter.
    var briefName: String { short.map { "-\($0)" } ?? "--\(long)" }

    /// `-o, --output FILE`
    var synopsis: String {
        let names = (short.map { "-\($0), " } ?? "") + "--\(long)"
        return valueName.map { "\(names) \($0)" } ?? names
    }

    /// The abstract, followed by what the option's other properties imply.
    var explanation: String {
        var text = abstract
        if isRepeatable { text += "; can be repeated" }
        if let environmentVariable { text += "; default: $\(environmentVariable)" }
        return text
    }
}

extension OptionDescription {
    /// Every command has it.
    static let help = OptionDescription("help", short: "h", "print this text and exit")
}
