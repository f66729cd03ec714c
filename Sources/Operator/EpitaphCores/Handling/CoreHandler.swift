// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues
import Glibc

/// Handles one core from the kernel: docs/core-pipe.md. First it reads what needs the dying
/// process: its /proc directory, the notes, and the memory of the report. Then it passes on or
/// closes the pipe, so that the process can end. Only then it unwinds stacks and files the report.
package struct CoreHandler: Sendable {
    private let arguments: CoreArguments
    private let settings: CoreHandlerSettings

    package init(_ arguments: CoreArguments, _ settings: CoreHandlerSettings) {
        self.arguments = arguments
        self.settings = settings
    }

    package struct Result: Sendable, Equatable {
        package var report: Epitaph.ID?
        /// Sentences without a full stop.
        package var sentences: [String] = []
    }

    /// Reads the core from `input`; releases the pipe as soon as the process is not needed.
    package func run(_ input: FileDescriptor) -> Result {
        var result = Result()
        defer { release(input) }
        let process = DyingProcess(arguments.processID)
        if process?.isOwnProgram == true {
            result.sentences.append("\(subject(nil)) is a handler of cores itself: no report")
            return result
        }
        let program = process?.program ?? arguments.name ?? "unknown"
        do throws(CoreHandlerError) {
            let stream = try rethrowing(CoreStream(input), as: CoreHandlerError.system)
            let ownDump = process?.ownDump(signal: arguments.signal)
            var caught: (snapshot: ProcessSnapshot, database: ReportDatabase)?
            var keepsCore = false
            do throws(CoreHandlerError) {
                let databases = try UserDatabases(settings.directory)
                // Crashes that are neither reported nor kept count for no limit.
                if ownDump == nil || wantsCore { try count(program, in: databases) }
                keepsCore = wantsCore
                if let ownDump {
                    throw .refused("the program has reported this death itself, in \(ownDump)")
                }
                caught = try catchProcess(process, stream, program, databases)
            } catch {
                result.sentences.append("\(subject(program)): no report: \(error)")
            }
            result.sentences += passOn(stream, keepsCore: keepsCore)
            release(input)
            guard let caught else { return result }
            let id = try CoreReport.file(caught.snapshot, in: caught.database)
            result.report = id
            result.sentences.append(
                "\(subject(program)): report \(id.description) in \(caught.database.path)"
            )
        } catch {
            result.sentences.append("\(subject(program)): no report: \(error)")
        }
        return result
    }

    private func subject(_ program: String?) -> String {
        let name = program ?? arguments.name ?? "?"
        return
            "\(name), process \(arguments.processID) of user \(arguments.userID), signal "
            + "\(arguments.signal)"
    }

    /// Puts /dev/null in place of the pipe: the kernel lets the process end when its pipe has no
    /// reader. The descriptor's number stays taken.
    private func release(_ input: FileDescriptor) {
        guard let nothing = try? FileDescriptor.openForReading("/dev/null") else { return }
        dup2(nothing.rawValue, input.rawValue)
        _ = fcntl(input.rawValue, F_SETFD, FD_CLOEXEC)
    }

    private var wantsCore: Bool { settings.keptCores != nil && arguments.coreLimit != 0 }

    private func count(
        _ program: String, in databases: UserDatabases
    ) throws(CoreHandlerError) {
        let entry = CoreRate.Entry(
            timeSeconds: arguments.timeSeconds, userID: arguments.userID, program: program)
        try databases.count(entry, by: settings.rate)
    }

    private func catchProcess(
        _ process: DyingProcess?, _ stream: CoreStream, _ program: String,
        _ databases: UserDatabases
    ) throws(CoreHandlerError) -> (ProcessSnapshot, ReportDatabase) {
        let beginning = CoreBytes(ByteSlice(stream.beginning))
        let reader = try rethrowing(CoreReader(beginning)) { (error: CoreFileError) in
            CoreHandlerError.refused("the core cannot be read: \(error)")
        }
        var snapshot = snapshot(process, reader, beginning)
        CoreReport.describe(
            &snapshot, program, time: Timestamp(secondsSince1970: Double(arguments.timeSeconds)))
        return (snapshot, try databases.database(of: arguments.ownerID))
    }

    private func snapshot(
        _ process: DyingProcess?, _ reader: CoreReader, _ beginning: CoreBytes
    ) -> ProcessSnapshot {
        guard let process, process.ownProcessID == reader.processID,
            process.realUserID == arguments.userID, let memory = process.memory(),
            let maps = process.mapsFile
        else {
            var snapshot = reader.snapshot(
                memory: DyingMemory(file: .standardError, ranges: []), mappings: [])
            snapshot.damage.append(
                Damage(
                    stage: .capture, subject: "memory",
                    reason: "the process was gone before it could be read"))
            return snapshot
        }
        var snapshot = reader.snapshot(
            memory: DyingMemory(file: memory, ranges: reader.writtenRanges),
            mappings: MemoryMapping.parse(maps).mappings)
        process.describe(&snapshot)
        return snapshot
    }

    private func passOn(_ stream: CoreStream, keepsCore: Bool) -> [String] {
        var sentences: [String] = []
        var sinks: [any CoreSink] = []
        var kept: KeptCore?
        var next: CorePipeSink?
        if keepsCore, let directory = settings.keptCores {
            do throws(CoreHandlerError) {
                let core = try KeptCore(in: directory, arguments, settings)
                kept = core
                sinks.append(core.sink)
            } catch {
                sentences.append("the core is not kept: \(error)")
            }
        }
        if !settings.next.isEmpty {
            do throws(SystemError) {
                let sink = try CorePipeSink(settings.next.map { arguments.filled(in: $0) })
                next = sink
                sinks.append(sink)
            } catch {
                sentences.append("\(settings.next[0]) was not given the core: \(error)")
            }
        }
        stream.pass(to: sinks)
        if let kept { sentences.append(kept.finish()) }
        if let next, let ending = next.wait(), ending != .exited(0) {
            sentences.append("\(settings.next[0]), which was given the core, ended with \(ending)")
        }
        return sentences
    }
}
