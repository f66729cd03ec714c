// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphExplanation
import EpitaphSystem
import EpitaphValues

enum CorePipeCommand {
    static let description = CommandDescription(
        name: "core-pipe",
        abstract: "make a report of a core that the kernel sends",
        discussion: """
            Is started by the kernel for each process that would leave a core file, if
            kernel.core_pattern is

            |/usr/bin/dump-convert core-pipe %P %u %g %s %t %e %h %d %c

            Reads the core's notes from standard input and the stacks from the memory of the
            process, which waits as it died, files a report, and lets the process go. The report is
            in the database DIR/UID of the process's user; that of a process which had rights that
            its user has not is in DIR/0. No report is made of a death that the program has
            reported itself, and at most 5 in an hour of one program. No user can use up what is
            there for all.

            With --stored, makes a report of a core that systemd-coredump has stored. Core and report
            name each other from then on. The service does so with "coredumps = yes".

            FILE has the other settings, one in a line: "time-limit SECONDS", "reports-per-program
            N", "reports N" (of all programs in an hour), "directory DIR", "keep-core DIR",
            "keep-core-limit MIB" (of one core), "keep-core-use MIB" (of all cores) and
            "keep-core-free MIB" (of the disk), "then COMMAND" for the handler that was there before, which gets
            each core as well and the same % words. What happens is written to standard error, or to
            the kernel's log where there is none.
            """,
        operands: [
            .init(
                "PID", "%P, and behind it %u %g %s %t %e %h %d %c", isRequired: false, kind: .text),
            .init(
                "WORD", "those; from %e on they may be missing", isRequired: false, kind: .text,
                isCommandLine: true),
        ],
        options: [config, directory, stored, keepCore, then],
        examples: [
            .init(
                "core-pipe --config ./new.conf 7 0 0 11 1771236312 <core",
                "tries settings by hand, with a core file."),
            .init("list --database /var/lib/epitaph/users/1000", "lists the reports of user 1000."),
        ],
        run: run)

    private static let config = OptionDescription(
        "config", value: "FILE", kind: .file,
        "the settings; default: /etc/epitaph/core-pipe.conf, which may be missing")
    private static let directory = OptionDescription(
        "directory", value: "DIR", kind: .directory,
        "where the users' databases are; default: /var/lib/epitaph/users")
    static let stored = OptionDescription(
        "stored", value: "FILE", kind: .file, excludes: ["keep-core", "then"],
        "make a report of this core of systemd-coredump, and read nothing from standard input")
    private static let keepCore = OptionDescription(
        "keep-core", value: "DIR", kind: .directory, "keep the whole core in this directory too")
    private static let then = OptionDescription(
        "then", value: "COMMAND", "give the core to this command too, split at blanks")

    private static let configPath = "/etc/epitaph/core-pipe.conf"

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let log = HandlerLog()
        if let path = arguments.value(of: stored) {
            return try report(storedAt: path, arguments, log, output)
        }
        guard let input = CoreHandlerProcess.takeInput() else {
            throw CommandFailure(.usage, "core-pipe: standard input is not the kernel's pipe")
        }
        var settings = CoreHandlerSettings()
        try read(&settings, arguments, log)
        CoreHandlerProcess.restrict(timeLimitSeconds: settings.timeLimitSeconds, log: log)
        let words: CoreArguments
        do throws(CoreArguments.Problem) {
            words = try CoreArguments(arguments.operands)
        } catch {
            log.write("no report of a core: \(error)")
            output.fail(.usage)
            return
        }
        let result = CoreHandler(words, settings).run(input)
        for sentence in result.sentences { log.write(sentence) }
        if let id = result.report { output.print(id.description) }
        if result.report == nil { output.fail() }
    }

    private static func report(
        storedAt path: String, _ arguments: ParsedArguments, _ log: HandlerLog, _ output: Output
    ) throws(CommandFailure) {
        guard arguments.operands.isEmpty else {
            throw CommandFailure(
                usage: "--stored takes the words of the kernel's line from the core",
                of: description)
        }
        var settings = CoreHandlerSettings()
        try read(&settings, arguments, log)
        CoreHandlerProcess.restrict(timeLimitSeconds: settings.timeLimitSeconds, log: log)
        let wholePath = (try? realPath(of: path)) ?? path
        do throws(CoreHandlerError) {
            let core = try StoredCore(opening: wholePath)
            let (id, sentence) = try StoredCoreReport(core, settings).make()
            output.print(id.description)
            output.print(TerminalText.line(sentence))
        } catch {
            throw CommandFailure(.incomplete, "\(path): no report: \(error)")
        }
    }

    private static func read(
        _ settings: inout CoreHandlerSettings, _ arguments: ParsedArguments, _ log: HandlerLog
    ) throws(CommandFailure) {
        let path = arguments.value(of: config) ?? configPath
        do throws(SystemError) {
            let bytes = try FileDescriptor.openForReading(realPath(of: path))
                .readAll(limit: CoreHandlerSettings.byteLimit)
            for problem in settings.read(bytes) { log.write("\(path): \(problem)") }
        } catch {
            // The crashed process waits for us, so go on even if the settings are wrong.
            if !error.isNotFound || arguments.has(config) { log.write("\(error)") }
        }
        for option in [directory, keepCore, then] {
            guard let value = arguments.value(of: option) else { continue }
            let words = value.split(separator: " ").map(String.init)
            if let problem = settings.set(option.long, words) {
                throw CommandFailure(usage: problem, of: description)
            }
        }
    }
}
