// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

extension CrashExplanation {
    package enum Naming: Sendable {
        case symbols
        case modulesOnly
        /// Names kept at filing time, and symbol tables. No C library reads a file.
        case keptNames
    }

    /// Unwinds threads, names their frames and explains the crash.
    ///
    /// - Parameters:
    ///   - threads: the threads to unwind besides the crashing one.
    ///   - crash: the crashing thread's backtrace, if it was made before with the same files.
    ///   - source: source lines for the crashing thread; nil for none.
    ///   - progress: called before each thread with the number done and the total.
    package convenience init(
        _ snapshot: ProcessSnapshot, images: any ELFImageSource, naming: Naming = .symbols,
        threads: ThreadSelection = .all, crash: Backtrace? = nil, source: (any SourceText)? = nil,
        cache: SymbolCache = SymbolCache(), progress: (Int, Int) -> Void = { _, _ in }
    ) {
        let reading = StackReading(snapshot, images: images, naming: naming, cache: cache)
        let crashStack = reading.crashStack(crash)
        let crashingID = snapshot.crashingThread?.id
        let subjectID = snapshot.subjectThread?.id
        var allowance = StackAllowance()
        let stacks = snapshot.threads.enumerated().map { index, thread -> ReportStack? in
            progress(index, snapshot.threads.count)
            // The crashing thread is unwound from the fault, not from inside the handler.
            guard thread.id != crashingID, allowance.isLeft,
                threads.contains(thread.id) || thread.id == subjectID
            else { return nil }
            let stack = reading.stack(of: thread)
            allowance.spend(stack.frames.count)
            return stack
        }
        var moments: [HeapMoment.Place: ReportStack] = [:]
        for (place, moment) in snapshot.heap?.moments ?? [] {
            moments[place] = reading.stack(at: place, moment)
        }
        var snapshot = snapshot
        snapshot.heap = snapshot.heap.map(reading.namingTypes)
        var used: Set<Int> = []
        for case let stack? in stacks + [crashStack] + Array(moments.values) {
            used.formUnion(
                stack.frames.indices.lazy.compactMap {
                    stack.frames[$0].place?.moduleIndex
                })
        }
        let problems = reading.problems(ofModules: used)
        self.init(
            snapshot, stacks: stacks,
            crashStack: crashStack.map { stack in
                source.map {
                    stack.withExcerpts(from: $0, snapshot.modules, problems: problems)
                } ?? stack
            }, moments: moments, moduleProblems: problems,
            memory: ReadableMemory(snapshot, images: images),
            readingNotes: reading.notes + [allowance.note].compactMap(\.self))
    }
}

extension ReportFrame {
    init(index: Int, _ frame: StackFrame, _ call: SourceFrame, at place: Place?) {
        self.init(index: index, address: frame.instructionPointer)
        self.place = place
        // A handler returns to the start of the way back to the kernel. musl's has no name, and the
        // function before it no size.
        let isUnnamed = frame.isSignalFrame && (call.functionOffset ?? 0) != 0
        if !isUnnamed {
            function = call.function.map(AsyncFunctionName.whole)
            shortFunction = call.shortFunction.map(AsyncFunctionName.whole)
            functionOffset = call.functionOffset
        }
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

/// Threads to unwind and show besides the crashing one. Skipping the others saves most of the work.
package enum ThreadSelection: Sendable, Equatable {
    case all
    case crashing
    /// Threads with these ids; the others are not mentioned.
    case these(Set<UInt64>)

    package func contains(_ id: UInt64) -> Bool {
        switch self {
        case .all: true
        case .crashing: false
        case .these(let ids): ids.contains(id)
        }
    }
}

/// Limits the frames read for other threads: a dump may have 16,384 threads, each needing a scan.
struct StackAllowance {
    /// A thousand threads have about 30,000.
    private static let frameLimit = 1 << 17
    private static let timeLimit = Duration.seconds(60)

    private let deadline = ContinuousClock.now + timeLimit
    private var framesLeft = frameLimit
    /// The reason for stopping, as a sentence without a full stop; nil while reading continues.
    private(set) var note: String?

    var isLeft: Bool { note == nil }

    mutating func spend(_ frameCount: Int) {
        framesLeft -= frameCount
        if framesLeft <= 0 {
            note =
                "stacks were looked at up to \(Self.frameLimit.grouped) frames, the others were not"
        } else if ContinuousClock.now > deadline {
            note =
                "stacks were looked at for \(Self.timeLimit.components.seconds) seconds, the others "
                + "were not"
        }
    }
}
