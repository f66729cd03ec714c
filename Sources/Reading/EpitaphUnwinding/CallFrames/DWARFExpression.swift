// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Evaluates a DWARF expression on registers and stack words. DWARF 5, 2.5.
struct DWARFExpression {
    /// The longest real expressions have twenty operations; a damaged one may loop.
    private static let operationLimit = 1_000
    private static let stackLimit = 64

    enum Failure: Error {
        case unknownRegister
        case noMemory(UInt64)
        case malformed
    }

    private let state: FrameState
    private let roles: RegisterRoles
    private let memory: CapturedMemory
    private var stack: [UInt64] = []

    static func evaluate(
        _ bytes: ByteSlice, start: UInt64?, in state: FrameState, roles: RegisterRoles,
        memory: CapturedMemory
    ) throws(Failure) -> UInt64 {
        var expression = DWARFExpression(state: state, roles: roles, memory: memory)
        if let start { expression.stack = [start] }
        return try expression.run(bytes)
    }

    private init(state: FrameState, roles: RegisterRoles, memory: CapturedMemory) {
        self.state = state
        self.roles = roles
        self.memory = memory
    }

    private mutating func run(_ bytes: ByteSlice) throws(Failure) -> UInt64 {
        var cursor = ByteCursor(bytes)
        for _ in 0..<Self.operationLimit {
            guard let operation = try? cursor.read(UInt8.self) else { return try pop() }
            switch operation {
            case 0x08...0x11, 0x30...0x4f: try push(try constant(operation, &cursor))
            case 0x70...0x8f, 0x92: try push(try register(operation, &cursor))
            case 0x12...0x17: try rearrange(operation, &cursor)
            case 0x06, 0x19, 0x1f, 0x20, 0x23: try transform(operation, &cursor)
            case 0x1a...0x1e, 0x21, 0x22, 0x24...0x27, 0x29...0x2e: try combine(operation)
            case 0x28, 0x2f: try jump(operation, &cursor)
            // DW_OP_nop
            case 0x96: break
            default: throw .malformed
            }
        }
        throw .malformed
    }

    private mutating func push(_ value: UInt64) throws(Failure) {
        guard stack.count < Self.stackLimit else { throw .malformed }
        stack.append(value)
    }

    private mutating func pop() throws(Failure) -> UInt64 {
        guard let value = stack.popLast() else { throw .malformed }
        return value
    }

    private func constant(
        _ operation: UInt8, _ cursor: inout ByteCursor
    ) throws(Failure) -> UInt64 {
        // DW_OP_lit0 to DW_OP_lit31
        if operation >= 0x30 { return UInt64(operation - 0x30) }
        do {
            switch operation {
            case 0x08: return UInt64(try cursor.read(UInt8.self))
            case 0x09: return UInt64(bitPattern: Int64(try cursor.read(Int8.self)))
            case 0x0a: return UInt64(try cursor.read(UInt16.self))
            case 0x0b: return UInt64(bitPattern: Int64(try cursor.read(Int16.self)))
            case 0x0c: return UInt64(try cursor.read(UInt32.self))
            case 0x0d: return UInt64(bitPattern: Int64(try cursor.read(Int32.self)))
            case 0x0e, 0x0f: return try cursor.read(UInt64.self)
            case 0x10: return try cursor.readULEB128()
            default: return UInt64(bitPattern: try cursor.readSLEB128())
            }
        } catch { throw .malformed }
    }

    /// DW_OP_breg0 to DW_OP_breg31 and DW_OP_bregx.
    private func register(
        _ operation: UInt8, _ cursor: inout ByteCursor
    ) throws(Failure) -> UInt64 {
        do {
            var number = Int(operation) - 0x70
            if operation == 0x92 { number = Int(clamping: try cursor.readULEB128()) }
            let offset = try cursor.readSLEB128()
            guard let value = state.register(number, roles) else { throw Failure.unknownRegister }
            return value &+ UInt64(bitPattern: offset)
        } catch let failure as Failure { throw failure } catch { throw .malformed }
    }
}

extension DWARFExpression {
    private mutating func rearrange(
        _ operation: UInt8, _ cursor: inout ByteCursor
    ) throws(Failure) {
        var depth = operation == 0x14 ? 1 : 0
        if operation == 0x15 {
            guard let index = try? cursor.read(UInt8.self) else { throw .malformed }
            depth = Int(index)
        }
        switch operation {
        case 0x13: _ = try pop()
        case 0x16:
            let (first, second) = (try pop(), try pop())
            stack += [first, second]
        case 0x17:
            let (first, second, third) = (try pop(), try pop(), try pop())
            stack += [first, third, second]
        default:
            guard depth < stack.count else { throw .malformed }
            try push(stack[stack.count - 1 - depth])
        }
    }

    /// DW_OP_deref, abs, neg, not, plus_uconst.
    private mutating func transform(
        _ operation: UInt8, _ cursor: inout ByteCursor
    ) throws(Failure) {
        let value = try pop()
        switch operation {
        case 0x06:
            guard let word = memory.stackWord(at: value) else { throw .noMemory(value) }
            try push(word)
        case 0x19: try push(Int64(bitPattern: value).magnitude)
        case 0x1f: try push(0 &- value)
        case 0x20: try push(~value)
        default:
            guard let addend = try? cursor.readULEB128() else { throw .malformed }
            try push(value &+ addend)
        }
    }

    private mutating func combine(_ operation: UInt8) throws(Failure) {
        let (right, left) = (try pop(), try pop())
        let (signedLeft, signedRight) = (Int64(bitPattern: left), Int64(bitPattern: right))
        switch operation {
        case 0x1a: try push(left & right)
        case 0x1b:
            guard right != 0 else { throw .malformed }
            let quotient = signedLeft.dividedReportingOverflow(by: signedRight).partialValue
            try push(UInt64(bitPattern: quotient))
        case 0x1c: try push(left &- right)
        case 0x1d:
            guard right != 0 else { throw .malformed }
            try push(left % right)
        case 0x1e: try push(left &* right)
        case 0x21: try push(left | right)
        case 0x22: try push(left &+ right)
        case 0x24: try push(left << right)
        case 0x25: try push(left >> right)
        case 0x26: try push(UInt64(bitPattern: signedLeft >> right))
        case 0x27: try push(left ^ right)
        case 0x29: try push(left == right ? 1 : 0)
        case 0x2a: try push(signedLeft >= signedRight ? 1 : 0)
        case 0x2b: try push(signedLeft > signedRight ? 1 : 0)
        case 0x2c: try push(signedLeft <= signedRight ? 1 : 0)
        case 0x2d: try push(signedLeft < signedRight ? 1 : 0)
        default: try push(left == right ? 0 : 1)
        }
    }

    private mutating func jump(_ operation: UInt8, _ cursor: inout ByteCursor) throws(Failure) {
        guard let distance = try? cursor.read(Int16.self) else { throw .malformed }
        if operation == 0x28, try pop() == 0 { return }
        let target = cursor.offset + Int(distance)
        guard target >= 0, target <= cursor.slice.count else { throw .malformed }
        cursor = ByteCursor(cursor.slice, offset: target)
    }
}
