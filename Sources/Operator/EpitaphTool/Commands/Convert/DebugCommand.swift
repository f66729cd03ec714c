// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

enum DebugCommand {
    static let description = CommandDescription(
        name: "debug",
        abstract: "open a report in gdb or lldb",
        discussion: """
            Makes an ELF core of the report and starts a debugger on it with the program that
            crashed, if the file at its path, or one below a directory of --symbols or --sysroot, or
            one that a symbol server of $DEBUGINFOD_URLS sends, has its build id; otherwise a note says so and the debugger starts without it. Libraries whose files
            are other builds, or missing, are left out of the core's list in the same way: a
            debugger would take names and unwind tables from the wrong file.

            A report has stacks and what they point to; a debugger says of all other memory that it
            cannot be accessed. Words behind REPORT go to the debugger.

            The core has no name and is gone when the debugger ends. The exit status is 0 if the
            debugger's is, otherwise 1.
            """,
        operands: [
            .init(
                "REPORT", "a report's id, the beginning of one, \"latest\", or a file",
                isRequired: true, kind: .report),
            .init(
                "ARGUMENT", "what else the debugger is to be given", isRequired: false, kind: .text,
                isCommandLine: true),
        ],
        options: [
            .databases, debugger, SymbolOptions.debuggerSymbols, SymbolOptions.sysroot,
            SymbolOptions.noDebuginfod,
        ],
        examples: [
            .init(
                "debug --database /var/lib/exampled/crashes latest",
                "opens a daemon's latest crash."),
            .init(
                "debug --debugger gdb ./crash.dmp -batch -ex bt",
                "prints gdb's stack of the crashing thread."),
        ],
        run: run)

    private static let debugger = OptionDescription(
        "debugger", value: "NAME", kind: .choice(["gdb", "lldb"]),
        "which to start; default: gdb if there is one, else lldb")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let found = try ReportOperand.bytes(
            arguments.operands.first, arguments, output, of: description)
        var snapshot = try InputFile(found).snapshot
        let servers = try SymbolOptions.servers(arguments, of: description, output)
        // Debuggers fetch debug information themselves.
        let images = try SymbolOptions.images(
            arguments, readAs: found.owner, servers: servers, fetchesDebugInformation: false)
        CoreOutput.addIdentities(images, to: &snapshot)
        let program = keepMatching(&snapshot, images, output)
        let writer = try CoreOutput.writer(of: snapshot, at: found.path)
        noteGaps(snapshot, output)
        for problem in writer.problems { output.note("\(found.path): \(problem)") }
        do throws(SystemError) {
            let core = try ScratchFile()
            var sink = FileSink(core.descriptor)
            try writer.write(to: &sink)
            output.flush()
            // Valid while this process has the file open: proc(5).
            let path = "/proc/\(ProcFileSystem.ownProcessID)/fd/\(core.descriptor.rawValue)"
            let rest = Array(arguments.operands.dropFirst())
            let ending = try start(
                arguments.value(of: debugger), program, path,
                rest.first == "--" ? Array(rest.dropFirst()) : rest)
            if ending != .exited(0) { output.fail() }
        } catch {
            throw CommandFailure(.incomplete, "no debugger was started: \(error)")
        }
    }

    private static func start(
        _ name: String?, _ program: String?, _ core: String, _ words: [String]
    ) throws(SystemError) -> ChildProcess.Ending {
        let files = program.map { [$0] } ?? []
        let line = words + files + ["-c", core]
        do throws(SystemError) {
            return try ChildProcess.run(name ?? "gdb", line)
        } catch {
            guard name == nil, error.isNotFound else { throw error }
            return try ChildProcess.run("lldb", line)
        }
    }

    /// A debugger's stack ends where memory is missing, as in that of an overflow; ours does not.
    private static func noteGaps(_ snapshot: ProcessSnapshot, _ output: Output) {
        guard let kept = snapshot.keptStacks else { return }
        for stack in kept.stacks {
            for place in kept.frames(of: stack) {
                guard case .stackBytes(let count) = place.frame.omission else { continue }
                output.note(
                    "a debugger's stack of thread \(stack.threadID) ends where \(count) bytes of "
                        + "it are not in the report; dump-convert show has the frames behind them")
            }
        }
    }

    /// Hides modules from the debugger whose files here differ from those of the process. Returns
    /// the path of the program's file; nil if this build of it is not here.
    private static func keepMatching(
        _ snapshot: inout ProcessSnapshot, _ images: any ELFImageSource, _ output: Output
    ) -> String? {
        let source = EvidencedImages(images, for: snapshot)
        var program: String?
        for index in snapshot.modules.indices where snapshot.modules[index].kind != .vdso {
            let module = snapshot.modules[index]
            let files = source.images(for: module)
            if let code = files.code {
                snapshot.modules[index].path = code.path
                if module.kind == .executable { program = code.path }
            } else {
                let why = files.problem?.description ?? "there is no file of it"
                output.note("\(module.name) is not shown to the debugger: \(why)")
                // The program keeps its place in the list, where it has no name.
                if module.kind != .executable {
                    snapshot.modules[index].dynamicSectionAddress = nil
                }
            }
        }
        return program
    }
}
