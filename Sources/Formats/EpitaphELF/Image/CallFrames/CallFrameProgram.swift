// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Executes a function's call frame instructions up to an address. DWARF 5, 6.4.2.
struct CallFrameProgram {
    /// Compilers write a few hundred for their largest functions.
    private static let instructionLimit = 65_536
    private static let rememberedLimit = 64
    /// Registers needed for unwinding; vector registers have higher numbers.
    private static let registerLimit = 64

    typealias Rule = CallFrameRules.RegisterRule

    private struct Row {
        var frameAddress: CallFrameRules.FrameAddress?
        var registers: [(number: Int, rule: Rule)] = []

        mutating func set(_ number: UInt64, _ rule: Rule?) {
            guard number < UInt64(CallFrameProgram.registerLimit) else { return }
            registers.removeAll { $0.number == Int(number) }
            if let rule { registers.append((Int(number), rule)) }
        }

        func rules(_ function: FrameDescription) -> CallFrameRules? {
            guard let frameAddress else { return nil }
            return CallFrameRules(
                frameAddress: frameAddress,
                registers: registers.sorted { $0.number < $1.number },
                returnRegister: function.common.returnRegister,
                isSignalFrame: function.common.isSignalFrame, addressRange: function.addressRange)
        }
    }

    private let common: CommonFrameInformation
    private let target: UInt64
    private var location: UInt64
    private var row = Row()
    private var initial = Row()
    private var remembered: [Row] = []
    private var instructionsLeft = instructionLimit
    /// Completed rows; nil if only one is wanted.
    private var passed: [(address: UInt64, row: Row)]?

    static func rows(_ function: FrameDescription) -> [(address: UInt64, rules: CallFrameRules)]? {
        let range = function.addressRange
        guard !range.isEmpty else { return nil }
        var program = CallFrameProgram(function, at: range.upperBound - 1)
        program.passed = []
        guard (try? program.run(function.common.instructions)) != nil else { return nil }
        program.initial = program.row
        program.passed = []
        guard (try? program.run(function.instructions)) != nil else { return nil }
        let last = program.location < range.upperBound ? [(program.location, program.row)] : []
        return ((program.passed ?? []) + last).compactMap { address, row in
            row.rules(function).map { (address, $0) }
        }
    }

    static func rules(_ function: FrameDescription, at address: UInt64) -> CallFrameRules? {
        var program = CallFrameProgram(function, at: address)
        guard (try? program.run(function.common.instructions)) != nil else { return nil }
        program.initial = program.row
        guard (try? program.run(function.instructions)) != nil else { return nil }
        return program.row.rules(function)
    }

    private init(_ function: FrameDescription, at address: UInt64) {
        common = function.common
        target = address
        location = function.addressRange.lowerBound
    }

    private mutating func run(_ instructions: ByteSlice) throws {
        var cursor = ByteCursor(instructions)
        while !cursor.isAtEnd {
            instructionsLeft -= 1
            guard instructionsLeft > 0 else { throw MalformedCallFrames() }
            let byte = try cursor.read(UInt8.self)
            let operand = UInt64(byte & 0x3f)
            switch byte >> 6 {
            case 1: advance(operand)
            case 2: row.set(operand, .offset(try scaledOffset(&cursor)))
            case 3: restore(operand)
            default: try runExtended(byte, &cursor)
            }
            guard location <= target else { return }
        }
    }

    private mutating func runExtended(_ byte: UInt8, _ cursor: inout ByteCursor) throws {
        switch byte {
        // DW_CFA_nop, and aarch64's notes on signed return addresses.
        case 0x00, 0x2c, 0x2d: break
        case 0x01:
            // DW_CFA_set_loc: no compiler for Linux writes it.
            throw MalformedCallFrames()
        case 0x02: advance(UInt64(try cursor.read(UInt8.self)))
        case 0x03: advance(UInt64(try cursor.read(UInt16.self)))
        case 0x04: advance(UInt64(try cursor.read(UInt32.self)))
        case 0x0a:
            guard remembered.count < Self.rememberedLimit else { throw MalformedCallFrames() }
            remembered.append(row)
        case 0x0b:
            guard let last = remembered.popLast() else { throw MalformedCallFrames() }
            row = last
        case 0x0c...0x0f, 0x12, 0x13: try defineFrameAddress(byte, &cursor)
        // DW_CFA_GNU_args_size
        case 0x2e: _ = try cursor.readULEB128()
        default: try setRegister(byte, &cursor)
        }
    }

    private mutating func defineFrameAddress(_ byte: UInt8, _ cursor: inout ByteCursor) throws {
        switch byte {
        // DW_CFA_def_cfa, and its form with a signed and scaled offset
        case 0x0c, 0x12:
            let register = Int(clamping: try cursor.readULEB128())
            row.frameAddress = .register(register, offset: try frameOffset(byte, &cursor))
        case 0x0d:
            guard case .register(_, let offset) = row.frameAddress else {
                throw MalformedCallFrames()
            }
            row.frameAddress = .register(
                Int(clamping: try cursor.readULEB128()), offset: offset)
        case 0x0e, 0x13:
            guard case .register(let register, _) = row.frameAddress else {
                throw MalformedCallFrames()
            }
            row.frameAddress = .register(register, offset: try frameOffset(byte, &cursor))
        // DW_CFA_def_cfa_expression
        default: row.frameAddress = .expression(try cursor.readBlock())
        }
    }

    private func frameOffset(_ byte: UInt8, _ cursor: inout ByteCursor) throws -> Int64 {
        byte >= 0x12 ? try scaledSignedOffset(&cursor) : Int64(bitPattern: try cursor.readULEB128())
    }

    private mutating func setRegister(_ byte: UInt8, _ cursor: inout ByteCursor) throws {
        let number = try cursor.readULEB128()
        switch byte {
        case 0x05: row.set(number, .offset(try scaledOffset(&cursor)))
        case 0x06: restore(number)
        case 0x07: row.set(number, .undefined)
        case 0x08: row.set(number, .sameValue)
        case 0x09: row.set(number, .register(Int(clamping: try cursor.readULEB128())))
        case 0x10: row.set(number, .expression(try cursor.readBlock()))
        case 0x11: row.set(number, .offset(try scaledSignedOffset(&cursor)))
        case 0x14: row.set(number, .valueOffset(try scaledOffset(&cursor)))
        case 0x15: row.set(number, .valueOffset(try scaledSignedOffset(&cursor)))
        case 0x16: row.set(number, .valueExpression(try cursor.readBlock()))
        // DW_CFA_GNU_negative_offset_extended
        case 0x2f: row.set(number, .offset(0 &- (try scaledOffset(&cursor))))
        default: throw MalformedCallFrames()
        }
    }

    private mutating func advance(_ delta: UInt64) {
        let further = location.addingClamped(delta &* common.codeAlignment)
        if further > location, location <= target { passed?.append((location, row)) }
        location = further
    }

    private mutating func restore(_ number: UInt64) {
        row.set(number, initial.registers.first { UInt64($0.number) == number }?.rule)
    }

    private func scaledOffset(_ cursor: inout ByteCursor) throws -> Int64 {
        Int64(bitPattern: try cursor.readULEB128()) &* common.dataAlignment
    }

    private func scaledSignedOffset(_ cursor: inout ByteCursor) throws -> Int64 {
        try cursor.readSLEB128() &* common.dataAlignment
    }
}
