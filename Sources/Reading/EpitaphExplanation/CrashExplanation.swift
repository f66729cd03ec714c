// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

/// A crashed process and everything found out about it; all report formats are written from this.
/// Strings are unescaped, as in the dump; printing code must make them safe (`TerminalText`).
package final class CrashExplanation: Sendable {
    /// Its messages are sorted, most relevant first.
    package let snapshot: ProcessSnapshot
    /// Nil if the process did not crash, or the dump ends before it says how.
    package let reason: DeathReason?
    /// The first fault, if the program's own handler for it then ended the process.
    package let firstFault: DeathReason?
    /// The first fault as the kernel reported it.
    package let firstException: ExceptionSnapshot?
    /// The crashing thread's stack from the fault, without the handler that ended the process.
    package let faultStack: ReportStack?
    /// The diagnosis of `firstFault` or else `reason`; nil without a reason.
    package let diagnosis: Diagnosis?
    /// Nil if the program does not sample its allocations.
    package let heap: ExplainedHeap?
    /// An error of a sampled allocation that the process survived; nil for a crash.
    package let handledHeapError: Diagnosis?
    /// Nil if the process did not crash and the report is about no thread.
    package let signature: CrashSignature?
    /// Nil without an exception, or if its thread is unknown.
    package let crashingThread: ExplainedThread?
    package let subjectThread: ExplainedThread?
    package let otherThreads: [ExplainedThread]
    /// Findings across threads: deadlocks, and other waits if the process may be stuck.
    package let observations: [Diagnosis.Finding]
    package let moduleProblems: [Int: String]
    package let readingNotes: [String]
    package let completeness: Completeness

    /// Explains a process whose stacks have been read.
    ///
    /// - Parameters:
    ///   - stacks: one per thread, in order; nil or missing shows only its instruction pointer.
    ///   - crashStack: the crashing thread's stack from the registers at the fault.
    ///   - moments: the stacks of the calls that allocated and freed sampled blocks.
    ///   - memory: where the diagnosis reads code and data; by default the snapshot itself.
    package init(
        _ snapshot: ProcessSnapshot, stacks: [ReportStack?], crashStack: ReportStack? = nil,
        moments: [HeapMoment.Place: ReportStack] = [:], moduleProblems: [Int: String] = [:],
        memory: ReadableMemory? = nil,
        readingNotes: [String] = []
    ) {
        let memory = memory ?? ReadableMemory(snapshot)
        func named(_ stack: ReportStack?) -> ReportStack? {
            stack?.namingSignals(of: snapshot, memory)
        }
        var crashStack = crashStack
        crashStack?.isAtFault = true
        self.moduleProblems = moduleProblems
        self.readingNotes = readingNotes
        var reason = snapshot.exception.map { DeathReason($0, of: snapshot) }
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
            problems: moduleProblems)
        let crashed = crashingThread
        var said = snapshot
        said.messages = SwiftMessages.sorted(snapshot.messages, crashed?.stack?.frames ?? [])
        self.snapshot = said
        let first = snapshot.exception.flatMap { last in
            reason.flatMap {
                FirstFault(before: last, $0, of: said, stack: crashed?.stack, memory)
            }
        }
        let heap = ExplainedHeap(snapshot, stacks: moments)
        self.heap = heap
        let firstReason = first.map { DeathReason($0.exception, of: said) }
        firstFault = firstReason
        firstException = first?.exception
        let stack = first?.stack ?? crashed?.stack
        faultStack = stack
        var diagnosis = (first?.exception ?? snapshot.exception).flatMap { exception in
            (firstReason ?? reason).map {
                Diagnosis(
                    CrashScene(
                        exception, $0, of: said, thread: crashed, stack: stack, memory: memory,
                        heap: heap))
            }
        }
        if let finding = first?.finding { diagnosis?.findings.append(finding) }
        self.diagnosis = diagnosis
        if diagnosis?.kind == .resourceLimit {
            reason = snapshot.exception.map { DeathReason(limit: $0, of: snapshot) }
        }
        self.reason = reason
        let subjectFrames = subjectThread?.stack?.frames ?? []
        let handled =
            snapshot.kind == .handledError
            ? heap?.found(by: subjectThread, of: snapshot) : nil
        handledHeapError = handled
        let requested = snapshot.request.flatMap {
            CrashSignature(
                $0.kind, frames: subjectFrames,
                errorType: handled?.signatureWords ?? snapshot.errorType,
                dependsOnFrames: handled?.kind != .heapOverwrite)
        }
        signature =
            diagnosis.map {
                CrashSignature(
                    kind: $0.kind, frames: stack?.frames ?? [],
                    signalName: reason?.signalName, isRaised: $0.isRaised, words: $0.words,
                    heap: $0.heap)
            } ?? (snapshot.exception == nil ? requested : nil)
        observations = CrashExplanation.observations(
            of: snapshot, main + otherThreads, diagnosis?.kind, subjectThread, memory)
    }

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
            SubjectActivity($0, of: snapshot, memory).findings
        }
        return (isHang ? activity ?? [] : [])
            + WaitingPicture(threads, of: snapshot, memory).findings(isStuck: isStuck)
    }

    package var cause: DeathReason? { firstFault ?? reason }

    var lastSignalWords: String? {
        guard firstFault != nil, let reason else { return nil }
        return "\(reason.headline), by its own handler"
    }

    package var faultRegisters: RegisterSnapshot? {
        firstException?.registers ?? crashingThread?.registers
    }

    /// Registers at the last signal, if the program's handler ran on from the fault; otherwise nil.
    package var lastRegisters: RegisterSnapshot? {
        guard let first = firstException?.registers, let last = crashingThread?.registers,
            !first.named.elementsEqual(last.named, by: { $0 == $1 })
        else { return nil }
        return last
    }

    package var executablePath: String? { snapshot.executablePath }

    /// The file name; or thread name and path if they differ, as after a start through a symlink.
    package var programWords: String? {
        guard let path = executablePath?.withoutDeletedMark else { return nil }
        let file = ModuleSnapshot.fileName(of: path)
        // The kernel names the first thread after execve(2)'s path, cut to 15 bytes: proc(5).
        let first = ([mainThread].compactMap(\.self) + otherThreads).first { thread in
            snapshot.process.id.map { UInt64(exactly: $0) == thread.thread.id } ?? false
        }
        guard let name = first?.thread.name, !name.isEmpty, !file.utf8.starts(with: name.utf8)
        else { return file }
        return "\(name) (\(path))"
    }

    package var executableName: String? {
        executablePath.map(ModuleSnapshot.fileName(of:))
    }
}

package final class ExplainedThread: Sendable {
    package let thread: ThreadSnapshot
    /// For the crashing thread, the registers at the fault.
    package let registers: RegisterSnapshot?
    /// Nil if the thread's registers are unknown too.
    package let stack: ReportStack?

    init(_ thread: ThreadSnapshot, stack: ReportStack?, modules: [ModuleSnapshot]) {
        self.thread = thread
        registers = thread.registers
        self.stack = stack ?? thread.registers.map { ReportStack($0, modules: modules) }
    }

    /// A dump cut before its threads still has the crashing thread's id and registers.
    init?(
        crashing known: ExplainedThread?, _ exception: ExceptionSnapshot, stack: ReportStack?,
        modules: [ModuleSnapshot]
    ) {
        // Id 0 means unknown.
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
    package var executablePath: String? {
        modules.first { $0.kind == .executable }?.path ?? launch?.executablePath
    }
}
