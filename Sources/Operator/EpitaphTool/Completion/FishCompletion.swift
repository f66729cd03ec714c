// SPDX-License-Identifier: Apache-2.0

/// Completion for fish: complete(1) of fish.
enum FishCompletion {
    static func script(_ commands: [CommandDescription]) -> [String] {
        ["# fish completion of dump-convert, written by \"dump-convert completion fish\".", ""]
            + reports + ["", "complete -c dump-convert -f", "complete -c epitaph -w dump-convert"]
            + [
                start + " -s h -l help -d 'print the help of the program and exit'",
                start + " -l version -d 'print the version and exit'",
            ]
            + commands.map { "\(start) -a \($0.name) -d \(quoted($0.abstract))" }
            + commands.flatMap { lines($0, names: commands.map(\.name)) }
    }

    private static let start = "complete -c dump-convert -n __fish_use_subcommand"

    private static let reports = """
        function __dump_convert_reports
            set -l database $EPITAPH_DATABASE
            set -l words (commandline -opc)
            for index in (seq (count $words))
                if test "$words[$index]" = --database
                    set database $words[(math $index + 1)]
                else if string match -q -- "--database=*" $words[$index]
                    set database (string replace -- --database= "" $words[$index])
                end
            end
            echo latest
            test -n "$database"; or return 0
            for file in $database/pending/*.dmp $database/completed/*.dmp
                string replace -r '^.*/(.*)\\.dmp$' '$1' $file
            end
        end
        """.lines

    private static func lines(_ command: CommandDescription, names: [String]) -> [String] {
        let scope = "complete -c dump-convert -n '__fish_seen_subcommand_from \(command.name)'"
        let options = (command.options + [.help]).map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.valueName == nil ? "" : value(option.kind)
            return scope + "\(short) -l \(option.long)\(value) -d \(quoted(option.abstract))"
        }
        return options
            + command.operands.compactMap { operand in
                switch operand.kind {
                case .text, .count, .wholeNumber, .seconds, .time: nil
                case .command: "\(scope) -a \(quoted(names.joined(separator: " ")))"
                case .choice(let words): "\(scope) -a \(quoted(words.joined(separator: " ")))"
                case .file, .directory: "\(scope) -F"
                case .report: "\(scope) -F -a '(__dump_convert_reports)'"
                }
            }
    }

    private static func value(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .count, .wholeNumber, .seconds, .time, .command: " -x"
        case .choice(let words): " -x -a \(quoted(words.joined(separator: " ")))"
        case .file: " -r -F"
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .report: " -x -a '(__dump_convert_reports)'"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
