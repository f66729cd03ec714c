// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

enum RunCommand {
    static let description = CommandDescription(
        name: "run",
        abstract: "run a program that was not built with Epitaph, and record its crashes",
        discussion: """
            Executes COMMAND with the library libepitaph-preload.so in LD_PRELOAD, in front of what
            is there, and with the settings that are given as variables of the environment. The
            library starts Epitaph in COMMAND and takes itself and the settings out of the
            environment, so that programs which children of COMMAND execute run without it; one
            that COMMAND itself becomes keeps it. The process ends as COMMAND ends; there is none
            beside it.

            Settings that are not given come from the environment, from /etc/epitaph/NAME.conf,
            where NAME is the name of the executable file, or from /etc/epitaph/preload.conf. A
            script is run by an interpreter, which is then the program; --executable leaves it out.

            With the setting heap_sampling=1/N, libepitaph-heap.so beside the library is loaded, too,
            and watches one of N allocations for memory errors.

            The library is looked for beside \(ProgramDescription.name) unless --library is given. It is not
            loaded into programs that are statically linked, have more rights than the user who
            runs them, or are of another architecture or C library: a warning says so, and the
            program is run nevertheless.
            """,
        operands: [
            .init(
                "COMMAND", "the program, found as the shell finds it", isRequired: true, kind: .file
            ),
            .init(
                "ARG", "passed on to it as it is", isRequired: false, kind: .file,
                isCommandLine: true),
        ],
        options: [
            .database, crashDirectory, bundleID, setting, executable, children, library,
        ],
        examples: [
            .init(
                "run --database /var/lib/epitaph/redis -- redis-server redis.conf",
                "runs a server whose crashes become reports in that database."),
            .init(
                "run --executable /usr/sbin/mysqld -- /usr/bin/mysqld_safe",
                "records the crashes of a server that a script starts."),
            .init(
                "run --setting heap_sampling=1/200 -- redis-server redis.conf",
                "watches one of 200 allocations for memory errors as well."),
        ],
        run: run)

    private static let crashDirectory = OptionDescription(
        "crash-directory", value: "DIR", kind: .directory,
        "where dumps wait instead of in the database")
    private static let bundleID = OptionDescription(
        "bundle-id", value: "ID",
        "the name under which the program's reports are kept; its file's name unless given")
    private static let setting = OptionDescription(
        "setting", short: "s", value: "KEY=VALUE", isRepeatable: true,
        "any key of the configuration file")
    private static let executable = OptionDescription(
        "executable", value: "PROGRAM", kind: .file,
        "cover only this program, by path or name, among those that COMMAND executes")
    private static let children = OptionDescription(
        "children", "record the crashes of programs that children of COMMAND execute as well")
    private static let library = OptionDescription(
        "library", value: "PATH", kind: .file, "the library to load")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let settings = try variables(arguments)
        let preload = try PreloadLibrary(chosen: arguments.value(of: library))
        let name = arguments.operands[0]
        let path = ProgramExecution.find(
            name, searchPath: CurrentProcess.environmentVariable("PATH"))
        if let path {
            let warnings = LaunchedProgram(path: path).warnings(
                machine: preload.machine,
                isOneOfSeveral: arguments.has(executable) || arguments.has(children))
            for warning in warnings { output.note(warning) }
        }
        let heap = samplesAllocations(settings) ? [try preload.heap()] : []
        output.flush()
        let failure = ProgramExecution.executeLastArguments(
            arguments.operands.count, adding: settings + [preload.variable(besides: heap)])
        throw CommandFailure(
            failure.isNotFound ? .noProgram : .notExecutable,
            "cannot run \(name): \(failure.reason)")
    }

    /// Whether the setting says so here or in the environment; a file of the program needs the
    /// library in LD_PRELOAD.
    private static func samplesAllocations(
        _ settings: [(name: String, value: String)]
    ) -> Bool {
        let name = "EPITAPH_HEAP_SAMPLING"
        let value =
            settings.last { $0.name == name }?.value ?? CurrentProcess.environmentVariable(name)
        return value?.hasPrefix("1/") ?? false
    }

    private static func variables(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> [(name: String, value: String)] {
        var variables: [(name: String, value: String)] = []
        for text in arguments.values(of: setting) {
            guard let variable = PreloadSetting.variable(text) else {
                throw CommandFailure(
                    usage: "--setting takes KEY=VALUE, not \"\(text)\"", of: description)
            }
            variables.append(variable)
        }
        if let path = arguments.value(of: .database) {
            variables.append(("EPITAPH_DATABASE", absolute(path)))
        }
        if let path = arguments.value(of: crashDirectory) {
            variables.append(("EPITAPH_CRASH_DIRECTORY", absolute(path)))
        }
        if let id = arguments.value(of: bundleID) { variables.append(("EPITAPH_BUNDLE_ID", id)) }
        if let program = arguments.value(of: executable) {
            let isPath = program.contains("/")
            variables.append(("EPITAPH_EXECUTABLE", isPath ? absolute(program) : program))
        }
        if arguments.has(children) { variables.append(("EPITAPH_CHILDREN", "yes")) }
        return variables
    }

    /// The program may change its directory before the library reads it.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = try? realPath(of: ".") else { return path }
        return here == "/" ? "/" + path : here + "/" + path
    }
}

enum PreloadSetting {
    private static let annotationPrefix = "annotation."

    /// - Parameter text: `KEY=VALUE`; nil otherwise.
    static func variable(_ text: String) -> (name: String, value: String)? {
        guard let (key, rest) = text.halves(at: "=") else { return nil }
        let value = String(rest)
        if key.hasPrefix(annotationPrefix) {
            let name = key.dropFirst(annotationPrefix.count)
            return name.isEmpty ? nil : ("EPITAPH_ANNOTATION_" + name, value)
        }
        let isKey = !key.isEmpty && key.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 }
        return isKey ? ("EPITAPH_" + key.uppercased(), value) : nil
    }
}
