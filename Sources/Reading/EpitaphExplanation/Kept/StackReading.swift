// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

/// Unwinds and names a snapshot's stacks, with kept findings where files are missing.
final class StackReading {
    private let snapshot: ProcessSnapshot
    private let naming: CrashExplanation.Naming
    private let unwinder: StackUnwinder
    private let symbolicator: Symbolicator
    private let images: any ELFImageSource
    private let kept: KeptEvidence?
    /// Found once: a report has thousands of frames.
    private let moduleNames: [String]
    private var keptStackCount = 0
    private var keptNameCount = 0
    private var modulesWithKeptTables: Set<Int> = []
    private var hasUnnamedLine = false

    init(
        _ snapshot: ProcessSnapshot, images: any ELFImageSource, naming: CrashExplanation.Naming,
        cache: SymbolCache
    ) {
        self.snapshot = snapshot
        self.naming = naming
        self.images = images
        unwinder = StackUnwinder(snapshot: snapshot, images: images)
        symbolicator = Symbolicator(
            snapshot: snapshot, images: images,
            sources: naming == .symbols ? .debugInformation : .symbolTables, cache: cache)
        kept = KeptEvidence(snapshot)
        moduleNames = snapshot.modules.map(\.name)
    }

    /// From the registers at the fault; nil without an exception.
    func crashStack(_ known: Backtrace?) -> ReportStack? {
        guard let fresh = known ?? unwinder.unwindException() else { return nil }
        let registers = snapshot.exception?.registers ?? snapshot.crashingThread?.registers
        return stack(fresh, kept: kept?.crashBacktrace(from: registers))
    }

    func stack(of thread: ThreadSnapshot) -> ReportStack {
        stack(
            unwinder.unwind(thread),
            kept: kept?.backtrace(ofThread: thread.id, from: thread.registers))
    }

    /// Nil if the moment's registers are unknown.
    func stack(at place: HeapMoment.Place, _ moment: HeapMoment) -> ReportStack? {
        guard moment.registers != nil else { return nil }
        return stack(
            StackUnwinder.unwind(moment, of: snapshot, images: images),
            kept: kept?.backtrace(at: place, moment))
    }

    /// With the types of blocks that were objects, unless they are known.
    func namingTypes(of heap: HeapSampling) -> HeapSampling {
        guard naming != .modulesOnly else { return heap }
        return heap.namingTypes(symbolicator)
    }

    func problems(ofModules indices: Set<Int>) -> [Int: String] {
        let problems = indices.map { ($0, symbolicator.problem(ofModule: $0)?.description) }
        return Dictionary(uniqueKeysWithValues: problems).compactMapValues(\.self)
    }

    var notes: [String] {
        var notes: [String] = []
        if keptStackCount > 0 {
            notes.append(
                "\(counted(keptStackCount, "stack")) as found when the report was filed")
        }
        if keptNameCount > 0 {
            notes.append("\(counted(keptNameCount, "frame")) as named when the report was filed")
        }
        if !modulesWithKeptTables.isEmpty {
            let names = modulesWithKeptTables.sorted().map { snapshot.modules[$0].name }
            notes.append(
                "unwound with the tables as found when the report was filed: "
                    + names.joined(separator: ", "))
        }
        if keptStackCount + keptNameCount > 0 {
            notes += kept?.problems.map { "when it was filed, \($0)" } ?? []
        }
        if hasUnnamedLine, let problem = Symbolicator.problemWithDebugInformation {
            notes.append("lines and inlined calls are not known: \(problem)")
        }
        notes += symbolicator.problemsWithFiles.map {
            "not all names, lines and inlined calls are known: \($0)"
        }
        return notes + images.notes(on: snapshot.modules)
    }

    private func stack(_ fresh: Backtrace, kept: KeptBacktrace?) -> ReportStack {
        guard let kept, kept.hasMore(than: fresh, isMissing: isMissing) else {
            noteKeptTables(of: fresh)
            var stack = ReportStack(
                fresh.frames, of: snapshot, moduleNames,
                whyIncomplete: fresh.whyIncomplete(in: snapshot),
                whyAsyncCallersIncomplete: fresh.whyAsyncCallersIncomplete, calls: calls)
            stack.isCoroutine = fresh.end == .startOfCoroutine
            return stack
        }
        keptStackCount += 1
        var stack = ReportStack(
            kept.frames, of: snapshot, moduleNames, whyIncomplete: kept.whyIncomplete,
            whyAsyncCallersIncomplete: kept.whyAsyncCallersIncomplete, calls: calls)
        stack.isKept = true
        return stack
    }

    /// Remembers modules that were unwound with the report's own tables.
    private func noteKeptTables(of backtrace: Backtrace) {
        let used = Set(backtrace.frames.compactMap(\.moduleIndex))
        modulesWithKeptTables.formUnion(
            used.subtracting(modulesWithKeptTables).filter(unwinder.hasKeptCallFrames(ofModule:)))
    }

    private func isMissing(_ index: Int) -> Bool {
        switch symbolicator.problem(ofModule: index) {
        case nil, .matchedByContents: false
        default: true
        }
    }

    private func calls(of frame: StackFrame) -> (calls: [SourceFrame], areKept: Bool) {
        guard naming != .modulesOnly else { return ([SourceFrame()], false) }
        let fresh = symbolicator.symbolicate(frame)
        if let calls = kept?.calls(of: frame, beside: fresh) {
            keptNameCount += 1
            return (calls, true)
        }
        hasUnnamedLine = hasUnnamedLine || naming == .symbols && fresh.last?.file == nil
        return (fresh, false)
    }
}

extension HeapSampling {
    package func namingTypes(_ symbolicator: Symbolicator) -> HeapSampling {
        var named = self
        for (index, block) in blocks.enumerated() where block.typeName == nil {
            named.blocks[index].typeName = block.firstWord.flatMap(symbolicator.typeName)
        }
        return named
    }
}

extension ReportStack {
    /// - Parameter calls: a physical frame's calls, innermost first, and whether they were kept.
    fileprivate init(
        _ frames: [StackFrame], of snapshot: ProcessSnapshot, _ moduleNames: [String],
        whyIncomplete: String?, whyAsyncCallersIncomplete: String?,
        calls: (StackFrame) -> (calls: [SourceFrame], areKept: Bool)
    ) {
        var lines: [ReportFrame] = []
        lines.reserveCapacity(frames.count * 2)
        var inner: CalledFunction?
        for (index, frame) in frames.enumerated() {
            let (calls, areKept) = calls(frame)
            let place = frame.moduleIndex.flatMap { index in
                snapshot.modules.indices.contains(index)
                    ? ReportFrame.Place(
                        frame.instructionPointer, inModule: index, snapshot.modules[index],
                        named: moduleNames[index]) : nil
            }
            for (position, call) in calls.enumerated() {
                var line = ReportFrame(index: index, frame, call, at: place)
                if line.place == nil {
                    line.unloadedPlace = .init(line.address, in: snapshot)
                }
                line.omission = position == 0 ? frame.omission : nil
                line.isNameKept = areKept
                let caller = CalledFunction(
                    function: line.function, part: call.part, shortFunction: line.shortFunction,
                    isInlined: line.isInlined)
                if let inner, inner.isHalf(of: caller) {
                    lines[lines.count - 1].shortFunction = inner.part ?? inner.function
                }
                inner = caller
                lines.append(line)
            }
        }
        self.frames = lines
        self.whyIncomplete = whyIncomplete
        self.whyAsyncCallersIncomplete = whyAsyncCallersIncomplete
    }
}

/// Half of a function that the other half called looks like a recursion without its mark.
private struct CalledFunction {
    let function: String?
    /// Of `work.part.0`, whose `function` is the whole's.
    let part: String?
    let shortFunction: String?
    let isInlined: Bool

    /// True of `work.part.0`, or LLVM's `work.cold.1`, and the `work` that called it.
    func isHalf(of caller: CalledFunction) -> Bool {
        guard !isInlined, let function = part ?? function, function != caller.function,
            shortFunction == caller.shortFunction
        else { return false }
        return function.has(".part.") || function.has(".cold.")
    }
}
