// SPDX-License-Identifier: Apache-2.0

import DumpConversion
import IntermediateDump
import LinuxSystem
import Minidump

/// `dump-convert convert`
enum ConvertCommand {
    static let description = CommandDescription(
        name: "convert",
        abstract: "write an intermediate dump as a minidump file",
        discussion: """
            Writes the minidump to FILE and does not change the dump. A damaged dump is converted
            as far as possible, with a list of what is missing, which is also printed on standard
            error. If FILE cannot be written completely, it is removed.

            If FILE is -, the minidump goes to standard output.
            """,
        operands: [
            .init(name: "DUMP", abstract: "the intermediate dump", isRequired: true, kind: .file)
        ],
        options: [outputFile, force],
        examples: [
            .init(
                commandLine: "dump-convert convert com.example.exampled@0f0e... -o crash.dmp",
                meaning: "makes a minidump that lldb opens: lldb -c crash.dmp.")
        ],
        run: run)

    private static let outputFile = OptionDescription(
        "output", short: "o", value: "FILE", kind: .file, isRequired: true,
        "where to write the minidump")
    private static let force = OptionDescription(
        "force", short: "f", "replace FILE if it exists")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let path = arguments.operands[0]
        let (found, dump) = try output.progress.during("reading the dump") {
            () throws(CommandFailure) in
            let found = try FoundBytes(reading: path)
            return (found, try InputFile.intermediateDump(found.bytes, path))
        }
        guard case .crash(var snapshot) = dump.contents else {
            throw CommandFailure(
                .incomplete,
                "\(path) contains no crash: its process recorded that it started, and nothing more")
        }
        let fileName = path.split(separator: "/").last.map(String.init) ?? ""
        // The id in the file's name is used, as when the dump is processed.
        let id = DumpName(fileName)?.uuid ?? snapshot.launch?.uuid
        output.progress.during("reading stacks and symbols") {
            _ = StackKeeper().keep(in: &snapshot)
        }
        let writer = MinidumpWriter(snapshot: snapshot, reportID: id, clientID: nil)
        let target = arguments.value(of: outputFile) ?? ""
        try output.progress.during("writing the minidump") { () throws(CommandFailure) in
            guard target != "-" else { return try write(writer) }
            let file = try OutputFile(target, existing: arguments.has(force) ? .replace : .refuse)
            try file.fill { sink throws(SystemError) in try writer.write(to: &sink) }
        }
        found.complainIfCut(output)
        for damage in writer.damage {
            output.note("\(path) is damaged: \(damage.sentence)")
        }
    }

    private static func write(_ writer: MinidumpWriter) throws(CommandFailure) {
        var sink = FileSink(.standardOutput)
        do {
            try writer.write(to: &sink)
        } catch {
            guard !error.isBrokenPipe else { return }
            throw CommandFailure(
                .incomplete, "cannot write to standard output: \(error.reason)")
        }
    }
}
