// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore

enum SymbolsCommand {
    static let description = CommandDescription(
        name: "symbols",
        abstract: "collect the symbols of a release, or check which of a report are at hand",
        discussion: """
            With collect, copies what reports of a release need into the directory DIR, by build id:
            each FILE and the libraries it loads, found as ld.so(8) finds them, their debug files,
            the files that dwz made, and packages of split units. A FILE that is a directory stands
            for all programs, libraries and debug files below it. Libraries that a program opens
            while it runs are named as FILE. What DIR has stays; several may collect into it at
            once. DIR can be given to --symbols, to debuginfod -F, and to gdb and lldb.

            Prints a line for each file: what was done (added, present, replaced), the name in DIR,
            and where it came from. What is missing is said on standard error; the exit status is
            then 1, unless it is only the debug information of a file that was built or installed
            without.

            With check, prints for each module on the stacks of each REPORT what is at hand, what is
            missing, and from where it could come. The exit status is 0 if every frame has a name.
            Without FILE it is the latest report of the database.
            """,
        operands: [
            .init(
                "ACTION", "collect or check", isRequired: true, kind: .choice(["collect", "check"])),
            .init(
                "FILE", "a program, library or directory to collect; a report to check",
                isRequired: false, kind: .file, isRepeatable: true),
        ],
        options: [
            output, noLibraries, libraryPath, sysroot, breakpad, .databases,
            SymbolOptions.debuggerSymbols, SymbolOptions.debuginfod, allModules, .json,
        ],
        examples: [
            .init(
                "symbols collect /usr/sbin/exampled -o /srv/symbols",
                "keeps what reports of this build of a daemon will need."),
            .init(
                "symbols collect --sysroot ./root ./root/usr/bin -o ./store",
                "does so for all programs of a container's file system."),
            .init(
                "symbols check --symbols /srv/symbols crash.dmp",
                "tells whether that directory has all that a report needs."),
        ],
        run: run)

    static let output = OptionDescription(
        "output", short: "o", value: "DIR", kind: .directory,
        "collect: the directory to copy to; it is made if it is missing")
    static let noLibraries = OptionDescription(
        "no-libraries", "collect: only each FILE, not its libraries")
    static let libraryPath = OptionDescription(
        "library-path", value: "DIR", kind: .directory, isRepeatable: true,
        "collect: look for libraries here as well, as in LD_LIBRARY_PATH")
    static let sysroot = OptionDescription(
        "sysroot", value: "ROOT", kind: .directory,
        "collect: look for libraries and debug files in the file system below ROOT")
    static let breakpad = OptionDescription(
        "sym", "collect: write Breakpad's NAME/ID/NAME.sym of programs and libraries as well")
    static let allModules = OptionDescription(
        "all-modules", "check: all modules, not only those that are on stacks")

    private static let onlyCollect = [output, noLibraries, libraryPath, sysroot, breakpad]
    private static let onlyCheck: [OptionDescription] = [
        .databases, SymbolOptions.debuginfod, allModules,
    ]

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let files = Array(arguments.operands.dropFirst())
        let isCollect = arguments.operands.first == "collect"
        for option in isCollect ? onlyCheck : onlyCollect where arguments.has(option) {
            throw usage(
                "--\(option.long) is of symbols \(isCollect ? "check" : "collect")")
        }
        if isCollect {
            guard !files.isEmpty else { throw usage("FILE is missing") }
            guard let directory = arguments.value(of: self.output) else {
                throw usage("\(self.output.synopsis) is missing")
            }
            try SymbolCollecting(arguments, directory).run(files, output)
        } else {
            try SymbolChecking.run(files, arguments, output)
        }
    }

    private static func usage(_ phrase: String) -> CommandFailure {
        CommandFailure(usage: phrase, of: description)
    }
}
