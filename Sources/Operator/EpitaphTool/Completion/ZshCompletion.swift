// SPDX-License-Identifier: Apache-2.0

/// Completion for zsh: a file `_dump-convert` in a directory of `$fpath`. zshcompsys(1).
enum ZshCompletion {
    static func script(_ commands: [CommandDescription]) -> [String] {
        ["#compdef dump-convert epitaph", "# Written by \"dump-convert completion zsh\".", ""]
            + reports + ["", "_dump-convert() {"] + start
            + ["    local -a commands=(\(commands.map(\.name).joined(separator: " ")))"]
            + ["    case $state in", "    command)", "        local -a described=("]
            + commands.map { "            \(quoted("\($0.name):\($0.abstract)"))" }
            + ["        )", "        _describe command described ;;", "    arguments)"]
            + ["        case $words[1] in"] + commands.flatMap(branch)
            + ["        esac ;;", "    esac", "}", ""] + end
    }

    private static let reports = """
        _dump-convert_reports() {
            local database=${(Q)opt_args[--database]:-$EPITAPH_DATABASE}
            local -a reports=(latest)
            [[ -z $database ]] || reports+=(${~database}/(pending|completed)/*.dmp(N:t:r))
            _alternative "reports:report:($reports)" "files:file:_files"
        }
        """.lines

    private static let start = """
            local curcontext=$curcontext state line
            typeset -A opt_args
            _arguments -C \\
                '(- *)'{-h,--help}'[print the help of the program and exit]' \\
                '(- *)--version[print the version and exit]' \\
                '1: :->command' '*:: :->arguments'
        """.lines

    /// Autoloaded, the file is the function; sourced, it must register itself.
    private static let end = """
        if [[ $funcstack[1] == _dump-convert ]]; then
            _dump-convert "$@"
        else
            compdef _dump-convert dump-convert epitaph
        fi
        """.lines

    private static func branch(_ command: CommandDescription) -> [String] {
        let specs =
            (command.options + [.help]).map(specification)
            + command.operands.map { operand in
                // "*:" stands for all that follow.
                let colon = operand.isRepeatable ? "*:" : operand.isRequired ? ":" : "::"
                let spec = quoted("\(colon)\(operand.name):\(action(operand.kind))")
                // Unquoted, so that the function expands it.
                return operand.kind == .command
                    ? spec.replacing("$commands", with: "'$commands'") : spec
            }
        return ["        \(command.name))", "            _arguments -s -S \\"]
            + specs.dropLast().map { "                \($0) \\" }
            + specs.suffix(1).map { "                \($0) ;;" }
    }

    /// `'(-o --output)'{-o+,--output=}'[where to write]:FILE:_files'`
    private static func specification(_ option: OptionDescription) -> String {
        var excluded = option.excludes.map { "--\($0)" }
        if !option.isRepeatable {
            excluded += ["--\(option.long)"] + (option.short.map { ["-\($0)"] } ?? [])
        }
        let list = excluded.isEmpty ? "" : "(\(excluded.joined(separator: " ")))"
        let star = option.isRepeatable ? "*" : ""
        let isFlag = option.valueName == nil
        let long = "--\(option.long)" + (isFlag ? "" : "=")
        let value = option.valueName.map { ":\($0):\(action(option.kind))" } ?? ""
        let tail = "[\(escaped(option.abstract))]\(value)"
        guard let short = option.short else { return quoted(list + star + long + tail) }
        return quoted(list + star) + "{-\(short)\(isFlag ? "" : "+"),\(long)}" + quoted(tail)
    }

    private static func action(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .count, .wholeNumber, .seconds, .time: " "
        case .command: "($commands)"
        case .choice(let words): "(\(words.joined(separator: " ")))"
        case .file: "_files"
        case .directory: "_files -/"
        case .report: "_dump-convert_reports"
        }
    }

    /// For the brackets of a description.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, letter in
            if "[]:\\".contains(letter) { result.append("\\") }
            result.append(letter)
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
