// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A thread that used up its stack: it accessed the guard below, and its stack pointer is near.
enum StackOverflowDiagnosis {
    /// 256 pages that the kernel keeps free below a growing stack: `stack_guard_gap` in mm/mmap.c.
    static let guardGap: UInt64 = 256 * 4096
    /// The stack pointer may be this far above the stack's end: a call writes just below it, and a
    /// leaf function uses 128 bytes more (System V psABI, 3.2.2).
    private static let slack: UInt64 = 4096

    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard
            [SignalNumber.segmentationFault, SignalNumber.bus].contains(scene.exception.signal),
            let address = scene.reason.address, scene.access != .execute,
            let stackPointer = scene.registers?.stackPointer
        else { return nil }
        if scene.lacksMaps { return withoutMaps(scene, address, stackPointer) }
        guard let space = scene.addressSpace else { return nil }
        if let mapping = space.mapping(at: address), mapping.isInUse {
            return inGuardRegion(scene, mapping, address, stackPointer)
        }
        if let stack = stack(above: address, stackPointer, space) {
            return diagnosis(scene, stack, address, stackPointer)
        }
        return LargeFrame(scene, space, at: address, stackPointer)?.diagnosis(scene)
    }

    /// The dump is cut before its maps. The captured bytes show the stack's end if they begin at a
    /// page boundary above the stack pointer: what is below was unreadable.
    private static func withoutMaps(
        _ scene: CrashScene, _ address: UInt64, _ stackPointer: UInt64
    ) -> Diagnosis? {
        if let end = firstReadableByte(scene, stackPointer), address < end,
            end - address <= guardGap, stackPointer <= end &+ slack
        {
            return ofReadableEnd(end, address, stackPointer)
        }
        let distance = address > stackPointer ? address - stackPointer : stackPointer - address
        guard scene.exception.signal == SignalNumber.segmentationFault, distance <= guardGap else {
            return nil
        }
        return Diagnosis(
            kind: .inaccessibleMemory,
            headline: "\(scene.access.pastTense) \(address.hex) at its stack pointer, which it may "
                + "not", "The stack may have overflowed.",
            evidence:
                "The stack pointer is \(stackPointer.hex). Where the stack ends is not in "
                + "the dump, which ends before the maps.")
    }

    /// Start of the captured stack, if the memory below it was unreadable.
    private static func firstReadableByte(_ scene: CrashScene, _ stackPointer: UInt64) -> UInt64? {
        guard let start = scene.snapshot.crashingThread?.stack?.address, start % 4096 == 0,
            start > stackPointer &- 128
        else { return nil }
        return start
    }

    private static func ofReadableEnd(
        _ end: UInt64, _ address: UInt64, _ stackPointer: UInt64
    ) -> Diagnosis {
        return Diagnosis(
            kind: .stackOverflow, headline: "died of a stack overflow",
            "All of the thread's stack is used.",
            evidence: "The stack can be read from \(end.hex) on and not below; the address is "
                + "\((end - address).hex) bytes below that, and the stack pointer is "
                + "\(stackPointer.hex).")
    }

    /// From version 2.42 on glibc makes threads' guards by MADV_GUARD_INSTALL (madvise(2)): they are
    /// part of the stack's mapping.
    private static func inGuardRegion(
        _ scene: CrashScene, _ mapping: MemoryMapping, _ address: UInt64, _ stackPointer: UInt64
    ) -> Diagnosis? {
        guard mapping.isGuarded(against: scene.reason), mapping.isWritable, !mapping.hasFile,
            mapping.addressRange.contains(stackPointer), address >= stackPointer &- slack,
            address <= stackPointer &+ guardGap
        else { return nil }
        let diagnosis = Diagnosis(
            kind: .stackOverflow, headline: "died of a stack overflow",
            "All of the thread's stack is used.",
            evidence: "The address is in \(mapping.line), and yet the signal's code is "
                + "SEGV_MAPERR, as it is of a guard region; the stack pointer is "
                + "\(stackPointer.hex).")
        return naming(scene.stack, in: diagnosis)
    }

    private static func stack(
        above address: UInt64, _ stackPointer: UInt64, _ space: AddressSpace
    ) -> MemoryMapping? {
        // A thread's stack has a guard mapping below it, the main thread's has none.
        var above = space.mapping(above: address)
        if let guardMapping = above, !guardMapping.isInUse {
            above = space.mapping(above: guardMapping.addressRange.lowerBound)
        }
        guard let stack = above, stack.isReadable, stack.isWritable, !stack.hasFile else {
            return nil
        }
        let end = stack.addressRange.lowerBound
        let isNear = end - address <= guardGap && stackPointer <= end &+ slack
        // A large frame may begin far below the stack; its accesses are inside the frame.
        let isOwn = stackPointer >= end || address >= stackPointer &- 128
        let isClose = stackPointer >= end || end - stackPointer <= guardGap
        return isNear && isOwn && isClose ? stack : nil
    }

    private static func diagnosis(
        _ scene: CrashScene, _ stack: MemoryMapping, _ address: UInt64, _ stackPointer: UInt64
    ) -> Diagnosis {
        let range = stack.addressRange
        var diagnosis = Diagnosis(kind: .stackOverflow, headline: "died of a stack overflow")
        let size = (range.upperBound - range.lowerBound) / 1024
        let isMain = stack.path == "[stack]"
        let limit = scene.snapshot.files.limits.flatMap {
            isMain ? ResourceLimitDiagnosis.soft("Max stack size", of: $0) : nil
        }
        diagnosis.add(
            "All \(size) KiB of \(isMain ? "the main thread's stack" : "the thread's stack") "
                + "are used"
                + (limit.map { "; the limit for it was \($0 / 1024) KiB." } ?? "."),
            evidence: "The address is \((range.lowerBound - address).hex) bytes below the "
                + "stack, which is \(stack.line), and the stack pointer is "
                + "\(stackPointer.hex).")
        return naming(scene.stack, in: diagnosis)
    }

    /// With the functions that call each other, if there are any.
    private static func naming(_ stack: ReportStack?, in found: Diagnosis) -> Diagnosis {
        guard let stack, let round = RepeatedCalls(stack) else { return found }
        var diagnosis = found
        let more = round.functions.count > 3 ? " and \(round.functions.count - 3) more" : ""
        let names = round.functions.prefix(3).joined(separator: ", ") + more
        diagnosis.headline = "died of a stack overflow in a recursion of \(names)"
        diagnosis.add(
            round.functions.count == 1
                ? "\(names) calls itself: it is on the stack \(round.times)."
                : "\(names) call each other: they are on the stack \(round.times).",
            evidence: "The frames of the crashing thread"
                + (stack.whyIncomplete.map { " (incomplete: \($0))." } ?? "."))
        return diagnosis
    }
}

struct RepeatedCalls {
    let functions: [String]
    /// False if none of the program's own functions is among them.
    let isOfProgram: Bool
    let count: Int
    let isAtLeast: Bool

    init?(_ stack: ReportStack) {
        let recursions = FoldedStack(stack).recursions
        guard let most = recursions.max(by: { $0.frameCount < $1.frameCount }) else { return nil }
        // A function may be in a round more than once.
        var seen: Set<String> = []
        let called = most.functions.filter { seen.insert($0).inserted }
        let own = Self.own(called, stack.frames)
        functions = own.isEmpty ? called : own
        isOfProgram = !own.isEmpty
        // Both ends of a stack without its middle: a round may begin with another function there.
        let names = Set(most.functions)
        count = recursions.filter { Set($0.functions) == names }.reduce(0) {
            $0 + (names.count == 1 ? $1.frameCount : $1.count)
        }
        isAtLeast =
            stack.whyIncomplete != nil
            || stack.frames.contains {
                if case .stackBytes = $0.omission { true } else { false }
            }
    }

    /// With what is inlined in them where they call on, as a build without optimisation has it. Without
    /// what only passes a call on, as std::function does.
    private static func own(_ functions: [String], _ frames: [ReportFrame]) -> [String] {
        let round = Set(functions)
        var calls: [String: [String]] = [:]
        var inlined: [ReportFrame] = []
        // The innermost one did not call on.
        for frame in frames.drop(while: { $0.index == frames.first?.index }) {
            if frame.function != nil, !NoiseFrames.isAlwaysNoise(frame) { inlined.append(frame) }
            guard !frame.isInlined else { continue }
            let name = frame.nameOrPlace
            if round.contains(name) {
                let known = calls[name, default: []]
                calls[name] = known + inlined.map(\.nameOrPlace).filter { !known.contains($0) }
            }
            inlined = []
        }
        var seen: Set<String> = []
        return functions.flatMap { calls[$0] ?? [] }.filter { seen.insert($0).inserted }
    }

    var times: String { (isAtLeast ? "at least " : "") + "\(count) times" }
}
