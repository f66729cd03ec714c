// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphValues

/// Counts a line table's rows before libdw builds it: one byte can take 120. DWARF 5, 6.2.
final class LineTableSizes {
    /// libdw's list, sorted copy and final table: dwarf_getsrclines.c of elfutils 0.188.
    private static let bytesPerRow = 120
    /// For tables of files and directories.
    private static let bytesPerHeaderByte = 8

    private let tables: [ByteSlice]
    private let budget = WorkBudget()
    private var known: [UInt64: Bool] = [:]

    init(_ memory: LibelfMemory) {
        // A file has one of the two.
        tables = [".debug_line", ".debug_line.dwo"].map(memory.section).filter { !$0.isEmpty }
    }

    /// The reason for skipping line tables, as a clause.
    var problem: String? { budget.problem }

    /// True if memory suffices for the table of the unit that begins with `entry`.
    func haveRoom(for entry: DIE) -> Bool {
        let offset = entry.number(Int(DW_AT_stmt_list)) ?? 0
        if let answer = known[offset] { return answer }
        var answer = true
        for table in tables {
            let bytes = Self.libdwBytes(ofTableAt: Int(clamping: offset), in: table)
            answer = answer && (bytes.map(budget.hold) ?? false)
        }
        known[offset] = answer
        return answer
    }

    /// Nil for an invalid table, which libdw rejects too.
    private static func libdwBytes(
        ofTableAt offset: Int, in section: ByteSlice
    ) -> Int? {
        var cursor = ByteCursor(section, offset: offset)
        guard let short = try? cursor.read(UInt32.self) else { return nil }
        let isLong = short == .max
        guard let length = isLong ? try? cursor.read(UInt64.self) : UInt64(short),
            length <= UInt64(cursor.remainingCount), let version = try? cursor.read(UInt16.self),
            2...5 ~= version
        else { return nil }
        let end = cursor.offset - 2 + Int(length)
        if version == 5, (try? cursor.skip(2)) == nil { return nil }
        let headerLength =
            isLong
            ? try? cursor.read(UInt64.self) : (try? cursor.read(UInt32.self)).map(UInt64.init)
        guard let headerLength, headerLength <= UInt64(max(0, end - cursor.offset)) else {
            return nil
        }
        let program = cursor.offset + Int(headerLength)
        // Instruction length, operations (from version 4), default, base, range.
        guard (try? cursor.skip(version >= 4 ? 5 : 4)) != nil,
            let operandless = try? cursor.read(UInt8.self), operandless > 0
        else { return nil }
        let operandCounts = (try? cursor.readSlice(count: Int(operandless) - 1))?.array ?? []
        let instructions = section.slice(from: program, length: end - program)
        let rows = instructions.withUnsafeBytes { rowCount($0, operandCounts) }
        return rows * bytesPerRow + Int(headerLength) * bytesPerHeaderByte
    }

    private static func rowCount(
        _ program: UnsafeRawBufferPointer, _ operandCounts: [UInt8]
    ) -> Int {
        var numbers = EncodedNumbers(program)
        var rows = 0
        while let opcode = numbers.byte() {
            switch Int(opcode) {
            case 0:
                guard let length = numbers.next(), length > 0, let kind = numbers.byte() else {
                    return rows
                }
                numbers.skip(length - 1)
                // DW_LNE_end_sequence; DW_LNE_define_file takes memory as well.
                if kind == 1 || kind == 3 { rows += 1 }
            case 1, (operandCounts.count + 1)...: rows += 1
            // DW_LNS_fixed_advance_pc
            case 9: numbers.skip(2)
            case let number:
                for _ in 0..<operandCounts[number - 1] { _ = numbers.next() }
            }
        }
        return rows
    }
}
