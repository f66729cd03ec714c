// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphCores
import EpitaphELF
import EpitaphMinidump
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

enum ConvertCommand {
    static let description = CommandDescription(
        name: "convert",
        abstract: "write an intermediate dump or a core file as a minidump, or a report as a core",
        discussion: """
            Writes the minidump to FILE and does not change the dump. A damaged dump is converted
            as far as possible, with a list of what is missing, which is also printed on standard
            error. If FILE cannot be written completely, it is removed.

            INPUT is what it is by its contents, not by its name: an intermediate dump, or an ELF
            core of x86_64 or aarch64 Linux, also one compressed with zstd, lz4 or xz, as
            systemd-coredump stores them. Of a core the minidump gets what a dump would have:
            every thread with its stack, and the memory that registers and stacks point to.

            With --core the other way: INPUT is a report of the database, a minidump or an
            intermediate dump, and FILE becomes an ELF core that gdb and lldb open. "\(ProgramDescription.name)
            debug" does that and starts the debugger.

            If FILE is -, the result goes to standard output.
            """,
        operands: [
            .init(
                "INPUT", "the intermediate dump or core file; with --core a report",
                isRequired: true, kind: .file)
        ],
        options: [outputFile, force, core, .database],
        examples: [
            .init(
                "convert com.example.exampled@0f0e... -o crash.dmp",
                "makes a minidump that lldb opens: lldb -c crash.dmp."),
            .init(
                "convert core.exampled.1000.zst -o crash.dmp",
                "makes a minidump of a core that systemd-coredump stored."),
            .init(
                "convert --core crash.dmp -o crash.core",
                "makes a core for gdb: gdb /usr/bin/exampled crash.core."),
        ],
        run: run)

    private static let outputFile = OptionDescription(
        "output", short: "o", value: "FILE", kind: .file, isRequired: true,
        "where to write the minidump or core")
    private static let force = OptionDescription(
        "force", short: "f", "replace FILE if it exists")
    private static let core = OptionDescription(
        "core", "write an ELF core instead of a minidump")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        if arguments.has(core) {
            try writeCore(arguments, output)
        } else {
            try writeMinidump(arguments, output)
        }
    }

    private static func writeMinidump(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let path = arguments.operands[0]
        let (found, input) = try output.progress.during("reading the dump") {
            () throws(CommandFailure) in
            let found = try FoundBytes(reading: path)
            return (found, try crash(in: found, path))
        }
        var snapshot = input
        // Use the id in the file's name, as `process` does.
        let id =
            DumpName(path.lastPathComponent)?.uuid ?? snapshot.launch?.uuid
            ?? (found.core == nil ? nil : Epitaph.ID())
        output.progress.during("reading stacks and symbols") {
            _ = StackKeeper().keep(in: &snapshot)
        }
        let writer = MinidumpWriter(snapshot: snapshot, reportID: id, clientID: nil)
        try write(arguments, output, from: path, "writing the minidump") {
            sink throws(SystemError) in
            try writer.write(to: &sink)
        }
        found.complainIfCut(output)
        for damage in writer.damage {
            output.note("\(path) is damaged: \(damage.sentence)")
        }
    }

    private static func crash(
        in found: FoundBytes, _ path: String
    ) throws(CommandFailure) -> ProcessSnapshot {
        if found.core != nil { return try InputFile(found).snapshot }
        guard !found.isMinidump else {
            throw CommandFailure(
                .incomplete, "\(path) is a minidump already; --core makes a core of it")
        }
        let dump = try InputFile.intermediateDump(found.bytes, path)
        guard case .crash(let snapshot) = dump.contents else {
            throw CommandFailure(
                .incomplete,
                "\(path) contains no crash: its process recorded that it started, and nothing more")
        }
        return snapshot
    }

    private static func writeCore(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let found = try ReportOperand.bytes(
            arguments.operands.first, arguments, output, of: description)
        var snapshot = try InputFile(found).snapshot
        let images = try SymbolOptions.images(
            arguments, readAs: found.owner, servers: nil, fetchesDebugInformation: false)
        CoreOutput.addIdentities(images, to: &snapshot)
        let writer = try CoreOutput.writer(of: snapshot, at: found.path)
        try write(arguments, output, from: found.path, "writing the core") {
            sink throws(SystemError) in
            try writer.write(to: &sink)
        }
        found.complainIfCut(output)
        for problem in writer.problems { output.note("\(found.path): \(problem)") }
    }

    private static func write(
        _ arguments: ParsedArguments, _ output: Output, from source: String, _ title: String,
        _ body: (inout FileSink) throws(SystemError) -> Void
    ) throws(CommandFailure) {
        let target = arguments.value(of: outputFile) ?? ""
        try output.progress.during(title) { () throws(CommandFailure) in
            guard target != "-" else { return try writeToStandardOutput(body) }
            let file = try OutputFile(
                target, existing: arguments.has(force) ? .replace : .refuse, source: source)
            try file.fill(body)
        }
    }

    private static func writeToStandardOutput(
        _ body: (inout FileSink) throws(SystemError) -> Void
    ) throws(CommandFailure) {
        var sink = FileSink(.standardOutput)
        do {
            try body(&sink)
        } catch {
            guard !error.isBrokenPipe else { return }
            throw CommandFailure(
                .incomplete, "cannot write to standard output: \(error.reason)")
        }
    }
}

enum CoreOutput {
    static func writer(
        of snapshot: ProcessSnapshot, at path: String
    ) throws(CommandFailure) -> CoreWriter {
        do {
            return try CoreWriter(snapshot)
        } catch {
            throw CommandFailure(.incomplete, "no core can be made of \(path): \(reason(error))")
        }
    }

    /// Adds what tells debuggers a module's file: the ELF header and build id for gdb and elfutils,
    /// and the program's code up to its entry for pwntools, which looks for the file mapped there.
    /// The process had these pages mapped, and the file here is of its build.
    static func addIdentities(_ images: any ELFImageSource, to snapshot: inout ProcessSnapshot) {
        let source = EvidencedImages(images, for: snapshot)
        for module in snapshot.modules where module.kind != .vdso {
            guard let image = source.images(for: module).code?.image,
                let first = image.segments.first(where: \.isLoadable), first.fileOffset == 0,
                !first.isWritable
            else { continue }
            let start = module.addressRange.lowerBound
            let page = image.bytes.slice(from: 0, length: min(4096, Int(clamping: first.fileSize)))
            snapshot.memory.append(MemoryRegion(address: start, bytes: page))
            if module.kind == .executable, let code = codeUpToEntry(image) {
                let (address, overflow) = start.addingReportingOverflow(code.distance)
                if !overflow { snapshot.memory.append(.init(address: address, bytes: code.bytes)) }
            }
        }
    }

    /// From the beginning of the mapping with the entry to the end of its page.
    private static func codeUpToEntry(
        _ image: ELFImage
    ) -> (distance: UInt64, bytes: ByteSlice)? {
        let entry = image.entryAddress
        guard let base = image.lowestAddress(),
            let segment = image.segments.first(where: {
                $0.isLoadable && $0.distance(to: entry) != nil
            })
        else { return nil }
        let start = segment.address & ~4095
        let beforeSegment = segment.address - start
        let lastByte = (entry | 4095) - start
        // Programs begin in the first pages; one that does not is not worth so big a core.
        guard !segment.isWritable, segment.fileOffset >= beforeSegment, start >= base,
            lastByte < 1 << 20
        else { return nil }
        let bytes = image.bytes.slice(
            from: Int(clamping: segment.fileOffset - beforeSegment), length: Int(lastByte) + 1)
        return (start - base, bytes)
    }

    private static func reason(_ error: CoreFileError) -> String {
        guard case .unsupported(let what) = error else { return error.description }
        return "it would be one \(what)"
    }
}
