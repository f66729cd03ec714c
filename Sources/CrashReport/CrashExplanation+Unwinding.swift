// SPDX-License-Identifier: Apache-2.0

import Snapshot
import StackUnwinding
import Symbolication

extension CrashExplanation {
    /// What the frames of an explanation are named with.
    public enum Naming: Sendable {
        /// Functions and source lines.
        case symbols
        /// Modules and offsets alone.
        case modulesOnly
    }

    /// Unwinds threads, names their frames and explains the whole.
    ///
    /// - Parameters:
    ///   - images: the ELF files to unwind and name with.
    ///   - source: gives lines of source files for the crashing thread; nil for none.
    ///   - threads: those to unwind besides the crashing one.
    ///   - progress: told after each thread how many are done, of how many.
    public init(
        _ snapshot: ProcessSnapshot, images: any ELFImageSource, naming: Naming = .symbols,
        threads: ThreadSelection = .all, source: (any SourceText)? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) {
        let unwinder = StackUnwinder(snapshot: snapshot, images: images)
        let symbolicator = Symbolicator(snapshot: snapshot, images: images)
        func calls(of frame: StackFrame) -> [SourceFrame] {
            naming == .symbols ? symbolicator.symbolicate(frame) : [SourceFrame()]
        }
        func stack(_ backtrace: Backtrace) -> ReportStack {
            ReportStack(backtrace, of: snapshot, calls: calls)
        }
        let crashStack = unwinder.unwindException().map(stack)
        let crashingID = snapshot.crashingThread?.id
        let stacks = snapshot.threads.enumerated().map { index, thread -> ReportStack? in
            progress(index, snapshot.threads.count)
            // The crashing thread is read from the fault, not from inside the handler.
            guard thread.id != crashingID, threads.contains(thread.id) else { return nil }
            return stack(unwinder.unwind(thread))
        }
        let frames = (stacks + [crashStack]).flatMap { $0?.frames ?? [] }
        let used = Set(frames.compactMap { $0.place?.moduleIndex })
        let sentences = used.map { ($0, symbolicator.problem(ofModule: $0)?.description) }
        let problems = Dictionary(uniqueKeysWithValues: sentences).compactMapValues(\.self)
        // Asked only where a frame rests on it: files are opened for that.
        let needsTables = frames.contains { $0.foundBy == .framePointer }
        let withoutTables = (needsTables ? used : []).filter {
            images.images(for: snapshot.modules[$0]).hasUnwindTables == false
        }
        self.init(
            snapshot, stacks: stacks,
            crashStack: crashStack.map { stack in
                source.map {
                    stack.withExcerpts(from: $0, snapshot.modules, problems: problems)
                } ?? stack
            }, moduleProblems: problems, modulesWithoutTables: withoutTables,
            memory: ReadableMemory(snapshot, images: images))
    }
}

extension ReportStack {
    /// - Parameter calls: names the calls of a physical frame, innermost first.
    init(
        _ backtrace: Backtrace, of snapshot: ProcessSnapshot,
        calls: (StackFrame) -> [SourceFrame]
    ) {
        frames = backtrace.frames.enumerated().flatMap { index, frame in
            let calls = calls(frame)
            return calls.enumerated().map { position, call in
                var line = ReportFrame(index: index, frame, call, modules: snapshot.modules)
                line.omission = position == 0 ? frame.omission : nil
                return line
            }
        }
        whyIncomplete = backtrace.end.reason(in: snapshot)
        whyAsyncCallersIncomplete = backtrace.asyncEnd.flatMap {
            $0 == .startOfTask ? nil : $0.description
        }
    }
}

extension Backtrace.End {
    /// Why a stack ends there; nil for one that is whole. An address outside of all code is no sign
    /// of a damaged stack where the maps do not reach it and modules may be missing.
    fileprivate func reason(in snapshot: ProcessSnapshot) -> String? {
        switch self {
        case .reachedEnd: return nil
        case .badReturnAddress(let address):
            let reach = snapshot.mappings.last?.addressRange.upperBound ?? 0
            guard snapshot.isCut, address >= reach else { return description }
            return
                "what is at \(address.hex), its return address, is not in the dump, which ends early"
        default: return description
        }
    }
}

extension ReportFrame {
    init(index: Int, _ frame: StackFrame, _ call: SourceFrame, modules: [ModuleSnapshot]) {
        self.init(index: index, address: frame.instructionPointer)
        place = frame.moduleIndex.flatMap {
            Place(frame.instructionPointer, inModule: $0, of: modules)
        }
        function = call.function.map(AsyncFunctionName.whole)
        shortFunction = call.shortFunction.map(AsyncFunctionName.whole)
        functionOffset = call.functionOffset
        source = call.file.map { Source(file: $0, line: call.line, column: call.column) }
        functionLine = call.functionLine
        stackPointer = frame.stackPointer
        isInlined = call.isInlined
        runtimeFailure = call.runtimeFailure
        isSignalFrame = frame.isSignalFrame
        foundBy = frame.foundBy
        isAsyncCaller = frame.foundBy == .asyncContext
    }
}
