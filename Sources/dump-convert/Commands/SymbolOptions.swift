// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import StackUnwinding

/// The options of commands that name functions.
enum SymbolOptions {
    static let symbols = OptionDescription(
        "symbols", value: "DIR", kind: .directory, isRepeatable: true, excludes: ["no-symbols"],
        "look for ELF and debug files in this directory first")

    static let noSymbols = OptionDescription(
        "no-symbols", "show modules and offsets only, no functions and lines")

    /// For a command without `--no-symbols`.
    static let groupSymbols = OptionDescription(
        symbols.long, value: symbols.valueName, kind: .directory, isRepeatable: true,
        symbols.abstract + ", and use them for reports whose functions had no names")

    /// For `debug`, which has no `--no-symbols` either.
    static let debuggerSymbols = OptionDescription(
        symbols.long, value: symbols.valueName, kind: .directory, isRepeatable: true,
        symbols.abstract)

    /// The ELF files to use. A missing directory is an error.
    ///
    /// - Parameter owner: with whose rights they are read, for a report from another user's database,
    ///   whose owner chose the names in it.
    static func images(
        _ arguments: ParsedArguments, readAs owner: FileSystemIdentity?
    ) throws(CommandFailure) -> InstalledImages {
        let directories = arguments.values(of: symbols)
        for directory in directories {
            do throws(SystemError) {
                try open(directory, as: owner)
            } catch {
                let who = owner.map { " as user \($0.userID), who owns the database" } ?? ""
                throw CommandFailure(
                    .notFound, "cannot look for symbols in \(directory)\(who): \(error.reason)")
            }
        }
        return InstalledImages(symbolDirectories: directories)
    }

    private static func open(
        _ directory: String, as owner: FileSystemIdentity?
    ) throws(SystemError) {
        guard let owner else {
            _ = try Directory(opening: realPath(of: directory))
            return
        }
        _ = try owner.during { () throws(SystemError) in
            try Directory(opening: realPath(of: directory))
        }.get()
    }
}
