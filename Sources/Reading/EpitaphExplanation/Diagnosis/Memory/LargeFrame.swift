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
    /// More cannot be called below the stack: a call writes its return address there sooner or later.
    private static let calleeCount = 2
    private static let calleeBytes: UInt64 = 4096

    /// - Parameter address: what the function used; in its frame or just below it.
    init?(
        _ scene: CrashScene, _ space: AddressSpace, at address: UInt64, _ stackPointer: UInt64
    ) {
        let frames = scene.frames.filter { !$0.isInlined }
        // What it calls may have the fault, where a call writes no memory, as on aarch64.
        let isSmall = { (caller: ReportFrame) in
            caller.stackPointer.map { $0 &- stackPointer <= Self.calleeBytes } ?? false
        }
        let callees = frames.dropFirst().prefix(Self.calleeCount).prefix(while: isSmall).count
        guard frames.count > callees + 1, case let function = frames[callees],
            case let caller = frames[callees + 1],
            frames[1...callees + 1].allSatisfy({
                [.unwindTable, .framePointer, .calledFrame].contains($0.foundBy)
            }),
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
        byteCount =
            callerPointer - (callees == 0 ? stackPointer : function.stackPointer ?? stackPointer)
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
