// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import StackUnwinding

/// The options of commands that name functions.
enum SymbolOptions {
    static let symbols = OptionDescription(
        "symbols", value: "DIR", kind: .directory, isRepeatable: true, excludes: ["no-symbols"],
        "look for ELF and debug files in this directory first")

    /// For a command without `--no-symbols`.
    static let groupSymbols = OptionDescription(
        symbols.long, value: symbols.valueName, kind: .directory, isRepeatable: true,
        symbols.abstract + ", and name again what had no name")

    /// The ELF files to use; a directory that is not there is told of at once.
    static func images(_ arguments: ParsedArguments) throws(CommandFailure) -> InstalledImages {
        let directories = arguments.values(of: symbols)
        for directory in directories {
            do {
                _ = try Directory(opening: realPath(of: directory))
            } catch {
                throw CommandFailure(
                    .notFound, "cannot look for symbols in \(directory): \(error.reason)")
            }
        }
        return InstalledImages(symbolDirectories: directories)
    }
}
