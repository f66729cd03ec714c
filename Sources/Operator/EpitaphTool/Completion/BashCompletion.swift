// SPDX-License-Identifier: Apache-2.0

/// Completion for bash 4 and later, without other packages: bash(1), "Programmable Completion".
enum BashCompletion {
    static func script(_ commands: [CommandDescription]) -> [String] {
        [
            "# bash completion of dump-convert, written by \"dump-convert completion bash\".", "",
        ] + reports + [""] + matches + ["", "_dump_convert() {"]
            + words(commands) + ["    case $command in"]
            + commands.flatMap(branch) + ["    esac", "    _dump_convert_add -W \"$options\"", "}"]
            + ["", "complete -F _dump_convert dump-convert epitaph"]
    }

    // A report's file is named by its id.
    private static let reports = """
        _dump_convert_reports() {
            local database=${EPITAPH_DATABASE-} index file
            for ((index = 2; index < COMP_CWORD; index++)); do
                [[ ${COMP_WORDS[index]} == --database ]] || continue
                database=${COMP_WORDS[index + 1]}
                [[ $database != "=" ]] || database=${COMP_WORDS[index + 2]}
            done
            echo latest
            [[ -n $database ]] || return 0
            for file in "${database/#\\~/$HOME}"/{pending,completed}/*.dmp; do
                [[ -e $file ]] || continue
                file=${file##*/}
                echo "${file%.dmp}"
            done
        }
        """.lines

    private static let matches = """
        _dump_convert_add() {
            local match
            while IFS= read -r match; do
                COMPREPLY+=("$match")
            done < <(compgen "$@" -- "$word")
        }

        _dump_convert_add_files() {
            compopt -o filenames 2>/dev/null
            _dump_convert_add "$1"
        }
        """.lines

    /// bash treats "=" as a word, so `--option=value` is three words.
    private static func words(_ commands: [CommandDescription]) -> [String] {
        let names = commands.map(\.name).joined(separator: " ")
        return """
            local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
            local command=${COMP_WORDS[1]} options= commands="\(names)"
            COMPREPLY=()
            if [[ $word == "=" ]]; then
                word=
            elif [[ $previous == "=" ]]; then
                previous=${COMP_WORDS[COMP_CWORD - 2]}
            fi
            if ((COMP_CWORD == 1)); then
                _dump_convert_add -W "$commands --help --version"
                return
            fi
            """.lines.map { "    " + $0 }
    }

    private static func branch(_ command: CommandDescription) -> [String] {
        let options = command.options + [.help]
        let values = options.filter { $0.valueName != nil }.map { option in
            "        \(names(option).joined(separator: "|"))) "
                + add(option.kind) + "return ;;"
        }
        let cases =
            values.isEmpty ? [] : ["        case $previous in"] + values + ["        esac"]
        let operands = command.operands.map { add($0.kind) }.filter { !$0.isEmpty }
        let offered =
            operands.isEmpty
            ? [] : ["        [[ $word == -* ]] || { \(operands.joined())return; }"]
        let list = options.map { "--\($0.long)" }.joined(separator: " ")
        return ["    \(command.name))"] + cases + offered + ["        options=\"\(list)\" ;;"]
    }

    private static func names(_ option: OptionDescription) -> [String] {
        ["--\(option.long)"] + (option.short.map { ["-\($0)"] } ?? [])
    }

    /// A command that adds the possible values, with a semicolon; empty if unknown.
    private static func add(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .count, .wholeNumber, .seconds, .time: ""
        case .command: "_dump_convert_add -W \"$commands\"; "
        case .choice(let words): "_dump_convert_add -W \"\(words.joined(separator: " "))\"; "
        case .file: "_dump_convert_add_files -f; "
        case .directory: "_dump_convert_add_files -d; "
        case .report:
            "_dump_convert_add -W \"$(_dump_convert_reports)\"; _dump_convert_add_files -f; "
        }
    }
}

extension String {
    var lines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
