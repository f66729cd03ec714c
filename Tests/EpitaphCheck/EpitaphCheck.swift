// SPDX-License-Identifier: Apache-2.0
//
// EpitaphCheck SUBCOMMAND [ARGUMENT]...: shows scripts what the libraries make of files. The file of
// each subcommand says what its arguments are.

import Foundation

@main enum Program {
    static func main() throws {
        var arguments = CommandLine.arguments
        let subcommand = arguments.count > 1 ? arguments.remove(at: 1) : ""
        switch subcommand {
        case "dumps": DumpCheck.run()
        case "symbols": try SymbolCheck.run(arguments)
        case "pages": try PageCheck.run(arguments)
        case "stacks": StackCheck.run(arguments)
        case "reports": try FiledRows.run(arguments)
        default:
            print("usage: EpitaphCheck dumps|symbols|pages|stacks|reports ...")
            exit(64)
        }
    }
}
