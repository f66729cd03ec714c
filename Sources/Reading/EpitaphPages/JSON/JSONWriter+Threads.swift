// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphUnwinding
import EpitaphValues

extension JSONWriter {
    mutating func write(threads outline: ReportOutline) {
        let explanation = outline.explanation
        let others = outline.otherThreads
        let main = explanation.mainThread.map { [$0] } ?? []
        let hasCrashed = explanation.crashingThread != nil
        member(.threadCount, main.count + explanation.otherThreads.count)
        key(JSONKey.threads)
        array(main.map { ($0, true) } + others.map { ($0, false) }) {
            $0.write($1.0, isCrashing: $1.1 && hasCrashed, isSubject: $1.1 && !hasCrashed)
        }
    }

    private mutating func write(
        _ explained: ExplainedThread, isCrashing: Bool, isSubject: Bool
    ) {
        let thread = explained.thread
        object { writer in
            // Id 0 means unknown.
            if thread.id != 0 { writer.member(.id, thread.id) }
            writer.member(.name, thread.name)
            writer.member(.taskName, thread.taskName)
            writer.member(.queueName, thread.queueName)
            writer.member(.isCrashing, isCrashing)
            if isSubject { writer.member(.isSubject, true) }
            writer.member(.completeness, thread.completeness.word)
            writer.member(.whyIncomplete, thread.whyIncomplete)
            writer.member(.runState, thread.runState.map(String.init))
            writer.member(.systemCall, thread.systemCall)
            writer.member(.schedulingPolicy, thread.schedulingPolicy)
            writer.member(.priority, thread.priority)
            writer.member(.nice, thread.nice)
            writer.member(.threadDataAddress, hex: thread.threadDataAddress)
            writer.write(explained.registers)
            if let stack = explained.stack { writer.write(stack) }
            if let memory = thread.stack {
                writer.object(.stackMemory) { $0.write(range: memory) }
            }
        }
    }

    mutating func write(_ registers: RegisterSnapshot?) {
        guard let registers else { return }
        object(.registers) { writer in
            for (name, value) in registers.named {
                writer.key(name)
                writer.string(hex: value)
            }
        }
    }

    mutating func write(_ stack: ReportStack) {
        object(.stack) { writer in
            writer.member(.whyIncomplete, stack.whyIncomplete)
            writer.member(.whyAsyncCallersIncomplete, stack.whyAsyncCallersIncomplete)
            if stack.isKept { writer.member(.isKept, true) }
            writer.key(JSONKey.frames)
            var before: ArraySlice<ReportFrame> = []
            writer.array(FoldedStack(stack).parts) { writer, part in
                switch part {
                case .frames(let frames):
                    before = frames
                    for frame in frames { writer.object { $0.write(members: frame) } }
                case .repeated(let count, let frameCount, let functions):
                    let round = before.filter { !$0.isInlined }.suffix(functions.count)
                    writer.writeRepeat(count, frameCount, Array(round))
                }
            }
        }
    }

    /// - Parameter round: the frames just before, which are not shown again.
    private mutating func writeRepeat(_ count: Int, _ frameCount: Int, _ round: [ReportFrame]) {
        object { writer in
            writer.member(.kind, "repeat")
            writer.member(.count, count)
            writer.member(.frameCount, frameCount)
            writer.array(.functions, round.map { $0.function ?? $0.nameOrPlace })
        }
    }

    private mutating func write(_ omission: FrameOmission) {
        object(.omission) { writer in
            switch omission {
            case .stackBytes(let count):
                writer.member(.kind, "stack-bytes")
                writer.member(.size, count)
            case .tailCall: writer.member(.kind, "tail-call")
            }
        }
    }

    private mutating func write(members frame: ReportFrame) {
        member(.kind, "frame")
        member(.index, frame.index)
        member(.address, hex: frame.address)
        if let omission = frame.omission { write(omission) }
        member(.function, frame.function)
        member(.shortFunction, frame.shortFunction)
        member(.functionOffset, hex: frame.functionOffset)
        if let place = frame.place {
            object(.module) { writer in
                writer.member(.index, place.moduleIndex)
                writer.member(.name, place.moduleName)
                writer.member(.offset, hex: place.offset)
            }
        }
        if let place = frame.unloadedPlace {
            object(.unloadedModule) { writer in
                writer.member(.name, place.libraryName)
                writer.member(.offset, hex: place.offset)
            }
        }
        if let source = frame.source {
            object(.source) { writer in
                writer.member(.file, source.file)
                writer.member(.line, source.line)
                writer.member(.column, source.column)
            }
        }
        if frame.isNameKept { member(.isNameKept, true) }
        member(.isInlined, frame.isInlined)
        member(.isAsyncCaller, frame.isAsyncCaller)
        member(.isSignalFrame, frame.isSignalFrame)
        member(.foundBy, frame.foundBy.rawValue)
    }
}
