// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A function's frame at each of its instructions, by following its code from its start, where the
/// return address is at rsp, or in x30: psABI for x86_64, 3.2.2; AAPCS64, 6.
package struct FunctionCode {
    /// A distance below the frame address, or below where rsp was after the instruction at `origin`
    /// had moved it by a distance that is not constant.
    package struct StackPlace: Equatable {
        package var distance: Int64
        package var origin: Int?
    }

    /// Where stack and frame pointer are, by their distances below the frame address, which is the
    /// stack pointer before the call; nil if the code does not tell.
    package struct Frame: Equatable {
        package var stackPointer: Int64? {
            stack.flatMap { $0.origin == nil ? $0.distance : nil }
        }
        /// Nil if it differs between the ways that lead here.
        package var stack: StackPlace?
        package var framePointer: Int64?
        /// rsp is lower by less than this, because it was aligned.
        package var alignment: Int64 = 0
        /// By the register's number in `Registers`: where its caller's value is. 0: it was not saved;
        /// -1: not known.
        package var saved = SIMD16<Int32>()
    }

    /// Indirect jumps looked at, against crafted input.
    private static let jumpLimit = 64

    private let code: [UInt8]
    package let registers: Registers
    private var instructions: [Int: CodeInstruction] = [:]
    private var frames: [Int: Frame] = [:]
    private var pending: [Int] = []
    private var changesFramePointer = false
    private var framesAtIndirectJumps: [Frame] = []
    private var tableTargets: [Int] = []

    package init(_ code: [UInt8], _ architecture: Architecture) {
        self.code = code
        registers = .of(architecture)
        reach(0, with: Frame(stack: StackPlace(distance: registers.returnAddressBytes)))
        follow()
        followJumpTables()
    }

    /// Before the instruction that ends at `end` runs; nil if none does.
    package func frame(beforeInstructionThatEndsAt end: Int) -> Frame? {
        for start in stride(from: end - 1, through: max(0, end - 15), by: -1) {
            if let instruction = instructions[start], start + instruction.length == end {
                return frame(at: start)
            }
        }
        return nil
    }

    package func frame(at offset: Int) -> Frame? {
        guard var frame = frames[offset] else { return nil }
        if changesFramePointer, frame.saved[registers.framePointer] == 0 {
            frame.saved[registers.framePointer] = -1
        }
        return frame
    }

    /// The distances below the frame address at which calls on the only way from the function's start
    /// leave their return addresses. Where the stack is extended later, they stay.
    package var marks: Set<Int64> {
        var marks: Set<Int64> = []
        var offset = 0
        while let frame = frames[offset], let distance = frame.stackPointer,
            let instruction = instructions[offset]
        {
            switch instruction.flow {
            case .next: break
            case .call: marks.insert(distance &+ 8)
            default: return marks
            }
            offset += instruction.length
        }
        return marks
    }

    /// Whether a call that ends at `end` leaves its return address at this distance.
    package func leavesMark(_ distance: Int64, at end: Int) -> Bool {
        for start in stride(from: end - 2, through: end - 7, by: -1) {
            guard let instruction = instructions[start], start + instruction.length == end,
                instruction.flow == .call
            else { continue }
            return frames[start]?.stackPointer == distance &- 8
        }
        return false
    }

    /// Whether rsp is the same each time that an activation of the function is here: what last moved
    /// it runs but once.
    package func isFixed(_ place: StackPlace) -> Bool {
        guard let origin = place.origin else { return true }
        var seen: Set<Int> = []
        var pending = [origin]
        var jumpsLeft = Self.jumpLimit
        while let offset = pending.popLast() {
            if instructions[offset]?.flow == .indirectJump { jumpsLeft -= 1 }
            guard jumpsLeft > 0 else { return false }
            for next in successors(of: offset) where seen.insert(next).inserted {
                pending.append(next)
            }
        }
        return !seen.contains(origin)
    }

    private func successors(of offset: Int) -> [Int] {
        guard let instruction = instructions[offset] else { return [] }
        let next = offset + instruction.length
        return switch instruction.flow {
        case .next, .call: [next]
        case .jump(let target): [target]
        case .branch(let target): [target, next]
        // By a table: any later code, and what the table is known to lead to.
        case .indirectJump: frames.keys.filter { $0 > offset } + tableTargets
        case .end: []
        }
    }

    private func instruction(at offset: Int) -> CodeInstruction? {
        instructions[offset] ?? CodeInstruction(code, at: offset, registers.architecture)
    }

    private mutating func reach(_ offset: Int, with frame: Frame) {
        guard code.indices.contains(offset) else { return }
        guard let known = frames[offset] else {
            frames[offset] = frame
            pending.append(offset)
            return
        }
        let merged = known.merged(with: frame)
        guard merged != known else { return }
        frames[offset] = merged
        pending.append(offset)
    }

    private mutating func follow() {
        while let offset = pending.popLast() {
            guard let frame = frames[offset],
                let instruction = self.instruction(at: offset)
            else { continue }
            instructions[offset] = instruction
            if instruction.effect == .changeFramePointer
                || instruction.effect == .storeFramePointer
                    && frame.saved[registers.framePointer] == 0
            {
                changesFramePointer = true
            }
            let after = frame.after(instruction.effect, at: offset, registers)
            if instruction.flow == .indirectJump {
                if framesAtIndirectJumps.last != after { framesAtIndirectJumps.append(after) }
            } else {
                for next in successors(of: offset) { reach(next, with: after) }
            }
        }
    }

    /// The targets of a jump table are the code that nothing else leads to, in the order of the
    /// code: each part begins where the part before ends.
    private mutating func followJumpTables() {
        guard framesAtIndirectJumps.count == 1, let frame = framesAtIndirectJumps.first else {
            return
        }
        var offset = 0
        while offset < code.count {
            guard let instruction = self.instruction(at: offset) else {
                return
            }
            if frames[offset] == nil, !instruction.isPadding {
                tableTargets.append(offset)
                reach(offset, with: frame)
                follow()
            }
            offset += instruction.length
        }
    }
}

extension FunctionCode.Frame {
    fileprivate func merged(with other: FunctionCode.Frame) -> FunctionCode.Frame {
        var merged = self
        if stack != other.stack || alignment != other.alignment { merged.stack = nil }
        if framePointer != other.framePointer { merged.framePointer = nil }
        merged.saved.replace(with: -1, where: saved .!= other.saved)
        return merged
    }

    fileprivate func after(
        _ effect: CodeInstruction.Effect, at offset: Int, _ registers: FunctionCode.Registers
    ) -> FunctionCode.Frame {
        var frame = self
        switch effect {
        case .none, .storeFramePointer: break
        case .push(let register):
            frame.moveStack(-8)
            frame.save(register, at: 0, registers)
        case .pop(let register):
            frame.moveStack(8)
            if register == registers.framePointer { frame.framePointer = nil }
        case .moveStack(let distance): frame.moveStack(distance)
        case .align(let bytes):
            if frame.alignment > 0 { frame.stack = nil }
            frame.alignment = bytes
        case .loseStack: frame.stack = FunctionCode.StackPlace(distance: 0, origin: offset)
        case .makeFrame(let distance):
            frame.framePointer = alignment == 0 ? stackPointer.map { $0 &- distance } : nil
        case .returnToFrame(let distance):
            frame.alignment = 0
            frame.stack = framePointer.map { FunctionCode.StackPlace(distance: $0 &- distance) }
        case .leave:
            frame.alignment = 0
            frame.stack = framePointer.map { FunctionCode.StackPlace(distance: $0 &- 8) }
            frame.framePointer = nil
        case .changeFramePointer: frame.framePointer = nil
        case .store(let first, let second, let place, let move):
            frame.save(first, at: place, registers)
            frame.save(second, at: place &+ 8, registers)
            frame.moveStack(move)
        case .load(let first, let second, let place, let move):
            frame.restore(first, from: place, registers)
            frame.restore(second, from: place &+ 8, registers)
            frame.moveStack(move)
        }
        return frame
    }

    private mutating func save(
        _ register: Int?, at place: Int64, _ registers: FunctionCode.Registers
    ) {
        guard let register, registers.numbers[register] != nil, saved[register] == 0 else { return }
        let distance = alignment == 0 ? stackPointer.flatMap { Int32(exactly: $0 &- place) } : nil
        // Further out are the arguments of its calls.
        if let distance, distance <= 0 { return }
        saved[register] = distance ?? -1
    }

    private mutating func restore(
        _ register: Int?, from place: Int64, _ registers: FunctionCode.Registers
    ) {
        guard let register else { return }
        if register == registers.framePointer { framePointer = nil }
        guard saved[register] > 0, stackPointer.map({ $0 &- place }) == Int64(saved[register])
        else { return }
        saved[register] = 0
    }

    private mutating func moveStack(_ distance: Int64) {
        stack?.distance &-= distance
    }
}

extension FunctionCode {
    /// The registers that a function preserves, by their number in its instructions.
    package struct Registers: Sendable {
        let architecture: Architecture
        /// Their DWARF numbers.
        let numbers: [Int: Int]
        let framePointer: Int
        let returnAddressBytes: Int64

        /// rbx, rbp, r12 to r15: psABI, 3.2.1 and figure 3.36.
        private static let x86_64 = Registers(
            architecture: .x86_64, numbers: [3: 3, 5: 6, 12: 12, 13: 13, 14: 14, 15: 15],
            framePointer: 5, returnAddressBytes: 8)
        /// x19 to x29, AAPCS64, 6.1.1, and x30, counted from x19.
        private static let aarch64 = Registers(
            architecture: .aarch64,
            numbers: Dictionary(uniqueKeysWithValues: (0...11).map { ($0, $0 + 19) }),
            framePointer: 10, returnAddressBytes: 0)

        static func of(_ architecture: Architecture) -> Registers {
            architecture == .aarch64 ? aarch64 : x86_64
        }
    }
}
