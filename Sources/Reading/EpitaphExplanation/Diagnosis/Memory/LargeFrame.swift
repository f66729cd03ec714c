// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A function's local variables did not fit into what was left of the stack, as with a large array
/// or alloca(3): the stack pointer is below the stack, and the caller's frame is in it.
final class LargeFrame {
    let function: ReportFrame
    let byteCount: UInt64
    let stack: MemoryMapping
    let callerPointer: UInt64
    let stackPointer: UInt64

    /// A stack pointer further away has probably been set to something else.
    private static let largest: UInt64 = 1 << 40

    /// - Parameter address: what the function used; in its frame or just below it.
    init?(
        _ scene: CrashScene, _ space: AddressSpace, at address: UInt64, _ stackPointer: UInt64
    ) {
        let frames = scene.frames.filter { !$0.isInlined }
        guard let function = frames.first, let caller = frames.dropFirst().first,
            [.unwindTable, .framePointer, .calledFrame].contains(caller.foundBy),
            let callerPointer = caller.stackPointer, callerPointer > stackPointer,
            callerPointer - stackPointer > StackOverflowDiagnosis.guardGap,
            callerPointer - stackPointer <= Self.largest,
            let stack = space.mapping(at: callerPointer - 1), stack.isReadable, stack.isWritable,
            !stack.hasFile, case let end = stack.addressRange.lowerBound, stackPointer < end,
            address < end, address >= stackPointer &- 4096
        else { return nil }
        self.function = function
        self.callerPointer = callerPointer
        self.stackPointer = stackPointer
        self.stack = stack
        byteCount = callerPointer - stackPointer
    }

    func diagnosis(_ scene: CrashScene) -> Diagnosis {
        let name = function.shortFunction ?? "a function"
        let place = function.shortPlace ?? "The function"
        let isMain = stack.path == "[stack]"
        let size = stack.addressRange.upperBound - stack.addressRange.lowerBound
        let limit = scene.snapshot.files.limits.flatMap {
            ResourceLimitDiagnosis.soft("Max stack size", of: $0)
        }
        let room =
            if isMain {
                limit.map { "the limit for the main thread's stack was \(($0 / 1024).grouped) KiB" }
            } else {
                Optional("the thread's stack has \((size / 1024).grouped) KiB")
            }
        return Diagnosis(
            kind: .stackOverflow,
            headline: "died of a stack overflow: \(name) has \(mebibytes) MiB of local variables",
            "\(place) needs \(byteCount.grouped) bytes of stack at once, as with a large local "
                + "array or alloca" + (room.map { "; \($0)." } ?? "."),
            evidence: "The stack pointer is \(stackPointer.hex), "
                + "\((stack.addressRange.lowerBound - stackPointer).hex) bytes below the stack, "
                + "which is \(stack.line); the caller's frame begins at \(callerPointer.hex).")
    }

    /// Rounded to tenths below ten. Part of the array may be in the red zone.
    private var mebibytes: String {
        let half: UInt64 = 1 << 19
        let tenths = (byteCount * 10 + half) >> 20
        return tenths % 10 == 0 || tenths >= 100
            ? ((byteCount + half) >> 20).grouped : "\(tenths / 10).\(tenths % 10)"
    }
}
