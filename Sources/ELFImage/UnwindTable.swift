// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Where an image's `.eh_frame_hdr` and its search table are. LSB Core, Exception Frames, 10.6.2.
public struct UnwindTable: Sendable, Equatable {
    /// Address of the header in the file; entries count from here.
    public let headerAddress: UInt64
    /// Address of the first entry: two signed 32-bit offsets, function start and FDE.
    public let entriesAddress: UInt64
    public let entryCount: UInt64
}

extension ELFImage {
    /// The search table of PT_GNU_EH_FRAME; nil when the image has none that can be searched.
    public var unwindTable: UnwindTable? {
        guard let segment = segments.first(where: { $0.type == 0x6474_e550 }),
            let offset = Int(exactly: segment.fileOffset)
        else { return nil }
        let size = Int(clamping: segment.fileSize)
        var cursor = ByteCursor(bytes.slice(from: offset, length: size))
        guard let version = try? cursor.read(UInt8.self), version == 1,
            let frameEncoding = try? cursor.read(UInt8.self),
            let countEncoding = try? cursor.read(UInt8.self),
            let tableEncoding = try? cursor.read(UInt8.self),
            // DW_EH_PE_datarel | DW_EH_PE_sdata4: what every linker writes and what can be
            // searched.
            tableEncoding == 0x3b,
            (try? Self.readPointer(frameEncoding, &cursor)) != nil,
            let count = try? Self.readPointer(countEncoding, &cursor)
        else { return nil }
        let entries = segment.address.addingReportingOverflow(UInt64(cursor.offset))
        // A table that claims more than its segment holds is cut there.
        let room = UInt64(cursor.remainingCount / 8)
        guard !entries.overflow, min(count, room) > 0 else { return nil }
        return UnwindTable(
            headerAddress: segment.address, entriesAddress: entries.partialValue,
            entryCount: min(count, room))
    }

    /// The value of an encoded pointer before its base is added; nil for an omitted or unknown one.
    private static func readPointer(
        _ encoding: UInt8, _ cursor: inout ByteCursor
    ) throws(TruncatedRead) -> UInt64? {
        // The low four bits are the format; LSB Core, 10.5.1.
        switch encoding & 0x0f {
        case 0x00, 0x04, 0x0c: return try cursor.read(UInt64.self)
        case 0x02: return UInt64(try cursor.read(UInt16.self))
        case 0x03: return UInt64(try cursor.read(UInt32.self))
        case 0x0a: return UInt64(bitPattern: Int64(try cursor.read(Int16.self)))
        case 0x0b: return UInt64(bitPattern: Int64(try cursor.read(Int32.self)))
        default: return nil
        }
    }
}
