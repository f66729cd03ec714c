// SPDX-License-Identifier: Apache-2.0

import Snapshot
import StackUnwinding

/// A crashed process with all that was found out about it: the facts of the snapshot, the reason it
/// died, its threads with their stacks. Text and other forms of a report are written from this.
///
/// Strings are as the dump has them; whoever prints them makes them safe (`TerminalText`).
public struct CrashExplanation: Sendable {
    public let snapshot: ProcessSnapshot
    /// Nil when the process did not crash, or the dump ends before it says how.
    public let reason: DeathReason?
    /// What that means; nil as `reason` is.
    public let diagnosis: Diagnosis?
    /// Nil as `reason` is.
    public let signature: CrashSignature?
    /// Nil when there is no exception, or its thread is unknown.
    public let crashingThread: ExplainedThread?
    /// The threads besides the crashing one, in the snapshot's order.
    public let otherThreads: [ExplainedThread]
    /// What the threads together show, as of locks they wait for: of a process that did not fail by
    /// itself, or that is stuck.
    public let observations: [Diagnosis.Finding]
    /// Why the ELF files of modules could not be used for their frames, as sentences without a full
    /// stop, by the module's index.
    public let moduleProblems: [Int: String]
    /// What else there is to know of how stacks were read and named, as sentences without a full
    /// stop.
    public let readingNotes: [String]
    /// What is known not to be in the report.
    public let completeness: Completeness

    /// - Parameters: - stacks: one for each of the snapshot's threads, in their order; where one is
    ///   nil or missing, the thread's instruction pointer stands for its stack. - crashStack: that
    ///   of the crashing thread from the registers at the fault. - memory: what the diagnosis reads
    ///   code and data from; what the snapshot itself has unless given.
    public init(
        _ snapshot: ProcessSnapshot, stacks: [ReportStack?], crashStack: ReportStack? = nil,
        moduleProblems: [Int: String] = [:], memory: ReadableMemory? = nil,
        readingNotes: [String] = []
    ) {
        self.snapshot = snapshot
        self.moduleProblems = moduleProblems
        self.readingNotes = readingNotes
        reason = snapshot.exception.map { DeathReason($0, of: snapshot) }
        var threads = snapshot.threads.enumerated().map { index, thread in
            let stack = index < stacks.count ? stacks[index] : nil
            return ExplainedThread(thread, stack: stack, modules: snapshot.modules)
        }
        crashingThread = snapshot.exception.flatMap { exception in
            let position = threads.firstIndex { $0.thread.id == exception.threadID ?? 0 }
            return ExplainedThread(
                crashing: position.map { threads.remove(at: $0) }, exception, stack: crashStack,
                modules: snapshot.modules)
        }
        otherThreads = threads
        completeness = Completeness(
            of: snapshot, [crashingThread].compactMap(\.self) + otherThreads)
        let memory = memory ?? ReadableMemory(snapshot)
        let reason = reason
        let crashed = crashingThread
        diagnosis = snapshot.exception.flatMap { exception in
            reason.map {
                Diagnosis(
                    CrashScene(exception, $0, of: snapshot, thread: crashed, memory: memory))
            }
        }
        signature = diagnosis.map {
            CrashSignature(
                kind: $0.kind, frames: crashed?.stack?.frames ?? [],
                signalName: reason?.signalName)
        }
        observations = WaitingPicture(
            [crashed].compactMap(\.self) + otherThreads, of: snapshot, memory
        ).findings(in: diagnosis?.kind)
    }

    /// The program's path, from the most reliable witness that is there.
    public var executablePath: String? {
        snapshot.modules.first { $0.kind == .executable }?.path ?? snapshot.launch?.executablePath
    }

    /// The last component of the program's path.
    public var executableName: String? {
        executablePath.map(ModuleSnapshot.fileName(of:))
    }
}

/// A thread and its stack.
public struct ExplainedThread: Sendable {
    public let thread: ThreadSnapshot
    /// Those at the fault for the crashing thread.
    public let registers: RegisterSnapshot?
    public let stack: ReportStack?

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
        // The id 0 stands for one that is not known.
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
