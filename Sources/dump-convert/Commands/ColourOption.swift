// SPDX-License-Identifier: Apache-2.0

/// `--color`: in the spelling other programs have.
enum ColourOption {
    static let color = OptionDescription(
        "color", value: "WHEN", kind: .choice(["auto", "always", "never"]),
        "colour the text: auto (on a terminal, as NO_COLOR, CLICOLOR and TERM allow), always, never"
    )

    /// Nil where the terminal and the environment decide.
    static func choice(_ arguments: ParsedArguments) -> Bool? {
        switch arguments.value(of: color) {
        case "always": true
        case "never": false
        default: nil
        }
    }
}
