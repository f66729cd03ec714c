// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore
import EpitaphSystem
import EpitaphUnwinding

enum SymbolOptions {
    static let symbols = OptionDescription(
        "symbols", value: "DIR", kind: .directory, isRepeatable: true, excludes: ["no-symbols"],
        "look for ELF and debug files in this directory first")

    static let sysroot = OptionDescription(
        "sysroot", value: "DIR", kind: .directory, isRepeatable: true,
        "look for the modules' files below this directory, the root of a container or a device")

    static let noSymbols = OptionDescription(
        "no-symbols", "show modules and offsets only, no functions and lines")

    static let noDebuginfod = OptionDescription(
        "no-debuginfod", "do not ask the symbol servers of $DEBUGINFOD_URLS for missing files")

    static let debuginfod = OptionDescription(
        "debuginfod", "ask the symbol servers of $DEBUGINFOD_URLS for missing files")

    static let groupSymbols = OptionDescription(
        symbols.long, value: symbols.valueName, kind: .directory, isRepeatable: true,
        symbols.abstract + ", and use them for reports whose functions had no names")

    /// For `debug`, which has no `--no-symbols` either.
    static let debuggerSymbols = OptionDescription(
        symbols.long, value: symbols.valueName, kind: .directory, isRepeatable: true,
        symbols.abstract)

    /// The ELF files to use. A missing directory is an error.
    ///
    /// - Parameters:
    ///   - owner: the user whose rights are used, for a report of that user, which names the files.
    ///   - fetchesDebugInformation: false if only the loaded files are of use.
    static func images(
        _ arguments: ParsedArguments, readAs owner: FileSystemIdentity?,
        servers: SymbolServers? = nil,
        fetchesDebugInformation: Bool = true
    ) throws(CommandFailure) -> any ELFImageSource {
        let directories = arguments.values(of: symbols)
        for directory in directories {
            _ = try opened(directory, as: owner) { () throws(SystemError) in
                try Directory(opening: realPath(of: directory))
            }
        }
        let roots = try arguments.values(of: sysroot).map { directory throws(CommandFailure) in
            try opened(directory, as: owner) { () throws(SystemError) in
                try RootDirectory(opening: directory)
            }
        }
        let installed = InstalledImages(symbolDirectories: directories, roots: roots)
        guard let servers else { return installed }
        return DownloadedImages(
            installed, servers: servers, fetchesDebugInformation: fetchesDebugInformation)
    }

    /// The symbol servers of a command; nil for none. Call it with this process's rights. A command
    /// with `--debuginfod` asks if it is given, one with `--no-debuginfod` unless that is.
    static func servers(
        _ arguments: ParsedArguments, of command: CommandDescription, _ output: Output?,
        limits: TransferLimits = TransferLimits(variable: CurrentProcess.environmentVariable)
    ) throws(CommandFailure) -> SymbolServers? {
        let isAsked = arguments.has(debuginfod)
        let isOptional = command.options.contains { $0.long == noDebuginfod.long }
        guard isAsked || isOptional && !arguments.has(noDebuginfod) && !arguments.has(noSymbols)
        else { return nil }
        let urls = SymbolServers.urls(
            in: CurrentProcess.environmentVariable("DEBUGINFOD_URLS") ?? "")
        guard !urls.isEmpty else {
            guard !isAsked else {
                throw CommandFailure(
                    .notFound, "no symbol server can be asked: DEBUGINFOD_URLS is not set")
            }
            return nil
        }
        do throws(SystemError) {
            let start = ContinuousClock.now
            let bar = output?.progress
            return SymbolServers(
                urls, client: try DebuginfodClient(),
                limits: limits,
                now: { (ContinuousClock.now - start) / .seconds(1) },
                progress: { bar?.wait(for: $0) })
        } catch {
            throw CommandFailure(.incomplete, "no symbol server can be asked: \(error)")
        }
    }

    private static func opened<Value>(
        _ directory: String, as owner: FileSystemIdentity?,
        _ open: () throws(SystemError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(SystemError) {
            guard let owner else { return try open() }
            return try owner.during(open).get()
        } catch {
            let who = owner.map { " as user \($0.userID), who owns the database" } ?? ""
            throw CommandFailure(
                .notFound, "cannot look for symbols in \(directory)\(who): \(error.reason)")
        }
    }
}
