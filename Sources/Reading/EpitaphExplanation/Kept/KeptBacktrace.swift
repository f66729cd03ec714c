// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues

struct KeptBacktrace {
    var frames: [StackFrame] = []
    var whyIncomplete: String?
    var whyAsyncCallersIncomplete: String?

    var certainCount: Int { frames.certainCount }

    /// - Parameter registers: where the stack must start.
    init?(
        _ stack: KeptStacks.Stack, of kept: KeptStacks, from registers: RegisterSnapshot?,
        in surroundings: KeptSurroundings
    ) {
        whyIncomplete = stack.whyIncomplete
        whyAsyncCallersIncomplete = stack.whyAsyncCallersIncomplete
        for placed in kept.frames(of: stack) {
            let frame = StackFrame(placed, moduleIndex: surroundings.moduleIndex(of:))
            guard let reason = surroundings.objection(to: frame, after: frames.last) else {
                frames.append(frame)
                continue
            }
            whyIncomplete = reason
            break
        }
        // A stack that begins elsewhere is from another state of the thread.
        guard let first = frames.first, first.foundBy == .registers,
            first.instructionPointer == registers?.instructionPointer
        else { return nil }
    }
}

extension [StackFrame] {
    var certainCount: Int {
        firstIndex { $0.foundBy == .stackScan || $0.foundBy == .stackGuess } ?? count
    }
}

/// Facts about the process that kept frames must agree with.
struct KeptSurroundings {
    private let architecture: Architecture
    private let modules: [(index: Int, range: Range<UInt64>)]
    private let executable: [Range<UInt64>]
    private let memory: ReadableMemory

    init(_ snapshot: ProcessSnapshot) {
        architecture = snapshot.architecture
        modules = snapshot.modules.enumerated().map { ($0, $1.addressRange) }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        executable = snapshot.mappings.filter(\.isExecutable).map(\.addressRange)
            .sorted { $0.lowerBound < $1.lowerBound }
        memory = ReadableMemory(snapshot)
    }

    func moduleIndex(of address: UInt64) -> Int? {
        let low = modules.prefixCount { $0.range.lowerBound <= address }
        guard low > 0, modules[low - 1].range.contains(address) else { return nil }
        return modules[low - 1].index
    }

    /// The reason why `frame` cannot follow `last`, as a clause; nil if it can.
    func objection(to frame: StackFrame, after last: StackFrame?) -> String? {
        guard let last else { return nil }
        let address = frame.instructionPointer
        guard isCode(frame.lookupAddress) else {
            return "the next frame that was kept, at \(address.hex), is not in executable memory"
        }
        // Awaiting callers are not on the stack, and a signal handler may run on another stack.
        guard frame.foundBy != .asyncContext, !last.isSignalFrame else { return nil }
        guard frame.stackPointer >= last.stackPointer else {
            return "the next frame that was kept, at \(address.hex), is not further up the stack"
        }
        guard isOnStack(frame) else {
            return "the next frame that was kept, at \(address.hex), differs from the stack"
        }
        return nil
    }

    private func isCode(_ address: UInt64) -> Bool {
        if moduleIndex(of: address) != nil { return true }
        let low = executable.prefixCount { $0.lowerBound <= address }
        return low > 0 && executable[low - 1].contains(address)
    }

    /// On x86_64 the return address is just below the caller's stack pointer: psABI, figure 3.3.
    private func isOnStack(_ frame: StackFrame) -> Bool {
        guard architecture == .x86_64, frame.stackPointer >= 8 else { return true }
        let word = memory.integer(at: frame.stackPointer - 8, as: UInt64.self)
        return word.map { $0 == frame.instructionPointer } ?? true
    }
}

extension StackFrame {
    fileprivate init(_ kept: KeptStacks.PlacedFrame, moduleIndex: (UInt64) -> Int?) {
        let frame = kept.frame
        self.init(
            instructionPointer: frame.instructionPointer, stackPointer: kept.stackPointer,
            lookupAddress: frame.lookupAddress, moduleIndex: moduleIndex(frame.lookupAddress),
            // Unknown evidence gets the least trust.
            foundBy: FoundBy(rawValue: frame.foundBy) ?? .stackScan,
            isSignalFrame: frame.isSignalFrame, omission: frame.omission)
    }
}
