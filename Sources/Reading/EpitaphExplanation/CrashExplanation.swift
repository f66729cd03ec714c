// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// A crashed process with everything that was found out about it: the facts of the snapshot, why it
/// died, its threads with their stacks. Text and other forms of a report are written from this.
///
/// Strings are as the dump has them; code that prints them must make them safe (`TerminalText`).
package struct CrashExplanation: Sendable {
    /// The facts, with the messages that explain the crash best first.
    package let snapshot: ProcessSnapshot
    /// Nil if the process did not crash, or the dump ends before it says how.
    package let reason: DeathReason?
    /// The first fault, if the program's own handler for it then ended the process: the diagnosis
    /// and the signature are about this one. Nil otherwise.
    package let firstFault: DeathReason?
    /// As the kernel first reported it; nil as `firstFault` is.
    package let firstException: ExceptionSnapshot?
    /// The crashing thread's stack from the fault on: without the handler that ended the process.
    package let faultStack: ReportStack?
    /// What that means; nil as `reason` is.
    package let diagnosis: Diagnosis?
    /// Nil where the process did not crash, and the report is about no thread.
    package let signature: CrashSignature?
    /// Nil when there is no exception, or its thread is unknown.
    package let crashingThread: ExplainedThread?
    /// The thread that the report of a process without a crash is about; nil if there is none.
    package let subjectThread: ExplainedThread?
    /// The threads besides these, in the snapshot's order.
    package let otherThreads: [ExplainedThread]
    /// What the threads show together, for example the locks they wait for, if the process did not
    /// fail by itself or is stuck.
    package let observations: [Diagnosis.Finding]
    /// Why the ELF files of modules could not be used for their frames, as sentences without a full
    /// stop, by the module's index.
    package let moduleProblems: [Int: String]
    /// Other remarks about how stacks were read and named, as sentences without a full stop.
    package let readingNotes: [String]
    /// Whether that is everything there was to know, and what is known to be missing.
    package let completeness: Completeness

    /// Explains a process whose stacks have been read.
    ///
    /// - Parameters:
    ///   - snapshot: the process that is explained.
    ///   - stacks: one for each of the snapshot's threads, in their order; where one is nil or
    ///     missing, the thread's instruction pointer stands for its stack.
    ///   - crashStack: that of the crashing thread from the registers at the fault.
    ///   - moduleProblems: why the ELF files of modules could not be used, as sentences without a
    ///     full stop, by the module's index.
    ///   - modulesWithoutTables: those whose files are available and have no unwind tables.
    ///   - memory: where the diagnosis reads code and data; by default the snapshot itself.
    ///   - readingNotes: other remarks about how stacks were read and named, as sentences without a
    ///     full stop.
    package init(
        _ snapshot: ProcessSnapshot, stacks: [ReportStack?], crashStack: ReportStack? = nil,
        moduleProblems: [Int: String] = [:], modulesWithoutTables: Set<Int> = [],
        memory: ReadableMemory? = nil, readingNotes: [String] = []
    ) {
        let memory = memory ?? ReadableMemory(snapshot)
        func named(_ stack: ReportStack?) -> ReportStack? {
            stack?.namingSignals(of: snapshot, memory)
        }
        self.moduleProblems = moduleProblems
        self.readingNotes = readingNotes
        reason = snapshot.exception.map { DeathReason($0, of: snapshot) }
        var threads = snapshot.threads.enumerated().map { index, thread in
            let stack = index < stacks.count ? named(stacks[index]) : nil
            return ExplainedThread(thread, stack: stack, modules: snapshot.modules)
        }
        crashingThread = snapshot.exception.flatMap { exception in
            let position = threads.firstIndex { $0.thread.id == exception.threadID ?? 0 }
            return ExplainedThread(
                crashing: position.map { threads.remove(at: $0) }, exception,
                stack: named(crashStack),
                modules: snapshot.modules)
        }
        let subject = snapshot.subjectThread.flatMap { subject in
            threads.firstIndex { $0.thread.id == subject.id }
        }
        subjectThread = subject.map { threads.remove(at: $0) }
        otherThreads = threads
        let main = [crashingThread ?? subjectThread].compactMap(\.self)
        completeness = Completeness(
            of: snapshot, main + otherThreads,
            UnwindingEvidence(
                problems: moduleProblems, modulesWithoutTables: modulesWithoutTables))
        let reason = reason
        let crashed = crashingThread
        var said = snapshot
        said.messages = SwiftMessages.sorted(snapshot.messages, crashed?.stack?.frames ?? [])
        self.snapshot = said
        let first = snapshot.exception.flatMap { last in
            reason.flatMap {
                FirstFault(before: last, $0, of: said, stack: crashed?.stack, memory)
            }
        }
        let firstReason = first.map { DeathReason($0.exception, of: said) }
        firstFault = firstReason
        firstException = first?.exception
        let stack = first?.stack ?? crashed?.stack
        faultStack = stack
        var diagnosis = (first?.exception ?? snapshot.exception).flatMap { exception in
            (firstReason ?? reason).map {
                Diagnosis(
                    CrashScene(
                        exception, $0, of: said, thread: crashed, stack: stack, memory: memory))
            }
        }
        if let finding = first?.finding { diagnosis?.findings.append(finding) }
        self.diagnosis = diagnosis
        let subjectFrames = subjectThread?.stack?.frames ?? []
        let requested = snapshot.request.flatMap {
            CrashSignature($0.kind, frames: subjectFrames, errorType: snapshot.errorType)
        }
        signature =
            diagnosis.map {
                CrashSignature(
                    kind: $0.kind, frames: stack?.frames ?? [],
                    signalName: reason?.signalName, words: $0.words)
            } ?? (snapshot.exception == nil ? requested : nil)
        observations = Self.observations(
            of: snapshot, main + otherThreads, diagnosis?.kind, subjectThread, memory)
    }

    /// The thread that the report is about: the crashing one, or the one that was asked about.
    package var mainThread: ExplainedThread? { crashingThread ?? subjectThread }

    private static func observations(
        of snapshot: ProcessSnapshot, _ threads: [ExplainedThread], _ kind: Diagnosis.Kind?,
        _ subject: ExplainedThread?, _ memory: ReadableMemory
    ) -> [Diagnosis.Finding] {
        let isHang = [.hang, .recoveredHang].contains(snapshot.kind)
        let isStuck =
            switch snapshot.kind {
            case .memoryWarning, .outOfMemory, .handledError: false
            default: kind == nil || kind == .signalFromProcess || kind == .resourceLimit
            }
        let activity = subject.map {
            SubjectActivity(thread: $0, snapshot: snapshot, memory: memory).findings
        }
        return (isHang ? activity ?? [] : [])
            + WaitingPicture(threads, of: snapshot, memory).findings(isStuck: isStuck)
    }

    /// What the diagnosis is about: the first fault, or else the signal that ended the process.
    package var cause: DeathReason? { firstFault ?? reason }

    /// What happened after the first fault.
    var lastSignalWords: String? {
        guard firstFault != nil, let reason else { return nil }
        return "\(reason.headline), by its own handler"
    }

    /// The crashing thread's registers at the fault.
    package var faultRegisters: RegisterSnapshot? {
        firstException?.registers ?? crashingThread?.registers
    }

    /// The registers at the last signal, if they differ: the program's handler ran on from the
    /// fault.
    package var lastRegisters: RegisterSnapshot? {
        guard let first = firstException?.registers, let last = crashingThread?.registers,
            !first.named.elementsEqual(last.named, by: { $0 == $1 })
        else { return nil }
        return last
    }

    /// The program's path, from the most reliable source that the dump has.
    package var executablePath: String? { snapshot.executablePath }

    /// The program's name for a headline: its file's name; and if it goes by another name, as when
    /// it was started through a symbolic link, that name and the file's path.
    package var programWords: String? {
        guard let path = executablePath?.withoutDeletedMark else { return nil }
        let file = ModuleSnapshot.fileName(of: path)
        // The kernel names the first thread after the path that was passed to execve(2), 15 bytes
        // of it: proc(5), /proc/PID/comm.
        let first = ([mainThread].compactMap(\.self) + otherThreads).first { thread in
            snapshot.process.id.map { UInt64(exactly: $0) == thread.thread.id } ?? false
        }
        guard let name = first?.thread.name, !name.isEmpty, !file.utf8.starts(with: name.utf8)
        else { return file }
        return "\(name) (\(path))"
    }

    /// The last component of the program's path.
    package var executableName: String? {
        executablePath.map(ModuleSnapshot.fileName(of:))
    }
}

/// A thread and its stack.
package struct ExplainedThread: Sendable {
    /// As in the snapshot; only its id if the dump ends before its threads.
    package let thread: ThreadSnapshot
    /// For the crashing thread, those at the fault.
    package let registers: RegisterSnapshot?
    /// Nil if the registers of the thread are not known either.
    package let stack: ReportStack?

    init(_ thread: ThreadSnapshot, stack: ReportStack?, modules: [ModuleSnapshot]) {
        self.thread = thread
        registers = thread.registers
        self.stack = stack ?? thread.registers.map { ReportStack($0, modules: modules) }
    }

    /// A dump that was cut before its thread list still has the id and the registers of the
    /// crashing thread, with its exception.
    init?(
        crashing known: ExplainedThread?, _ exception: ExceptionSnapshot, stack: ReportStack?,
        modules: [ModuleSnapshot]
    ) {
        // The id 0 means that it is not known.
        guard exception.threadID != nil || known?.registers != nil || exception.registers != nil
        else { return nil }
        var lost = ThreadSnapshot(id: exception.threadID ?? 0, completeness: .missing)
        lost.whyIncomplete = "it is not in the dump's thread list"
        thread = known?.thread ?? lost
        registers = exception.registers ?? known?.registers
        self.stack =
            stack ?? known?.stack ?? exception.registers.map { ReportStack($0, modules: modules) }
    }
}

extension ProcessSnapshot {
    /// The same as an explanation's, which takes longer to make.
    package var executablePath: String? {
        modules.first { $0.kind == .executable }?.path ?? launch?.executablePath
    }
}
