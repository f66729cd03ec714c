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
            (try? PointerEncoding(rawValue: frameEncoding).readValue(&cursor)) != nil,
            let count = try? PointerEncoding(rawValue: countEncoding).readValue(&cursor)
        else { return nil }
        let entries = segment.address.addingReportingOverflow(UInt64(cursor.offset))
        // A table that claims more than its segment holds is cut there.
        let room = UInt64(cursor.remainingCount / 8)
        guard !entries.overflow, min(count, room) > 0 else { return nil }
        return UnwindTable(
            headerAddress: segment.address, entriesAddress: entries.partialValue,
            entryCount: min(count, room))
    }
}
