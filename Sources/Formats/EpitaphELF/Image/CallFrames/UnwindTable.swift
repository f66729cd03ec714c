// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An image's `.eh_frame_hdr` and its search table. LSB Core, Exception Frames, 10.6.2.
package struct UnwindTable: Sendable, Equatable {
    /// Address of the header in the file, the base of the entries.
    package let headerAddress: UInt64
    /// Address of the first entry: two signed 32-bit offsets, function start and FDE.
    package let entriesAddress: UInt64
    /// Number of entries of 8 bytes, at most as many as the header's bytes hold.
    package let entryCount: UInt64
}

extension UnwindTable {
    /// Nil if not searchable. `header` has the known bytes of `.eh_frame_hdr`, at `address`.
    init?(reading header: ByteSlice, at address: UInt64) {
        var cursor = ByteCursor(header)
        guard let version = try? cursor.read(UInt8.self), version == 1,
            let frameEncoding = try? cursor.read(UInt8.self),
            let countEncoding = try? cursor.read(UInt8.self),
            let tableEncoding = try? cursor.read(UInt8.self),
            // DW_EH_PE_datarel | DW_EH_PE_sdata4: written by every linker, and searchable.
            tableEncoding == 0x3b,
            (try? PointerEncoding(rawValue: frameEncoding).readValue(&cursor)) != nil,
            let count = try? PointerEncoding(rawValue: countEncoding).readValue(&cursor)
        else { return nil }
        let entries = address.addingReportingOverflow(UInt64(cursor.offset))
        // A table that claims to be longer than the bytes is cut.
        let room = UInt64(cursor.remainingCount / 8)
        guard !entries.overflow, min(count, room) > 0 else { return nil }
        self.init(
            headerAddress: address, entriesAddress: entries.partialValue,
            entryCount: min(count, room))
    }
}

extension ELFImage {
    /// PT_GNU_EH_FRAME
    package var unwindHeader: ELFSegment? { segments.first { $0.type == 0x6474_e550 } }

    package var unwindTable: UnwindTable? {
        guard let segment = unwindHeader, let offset = Int(exactly: segment.fileOffset) else {
            return nil
        }
        let size = Int(clamping: segment.fileSize)
        return UnwindTable(
            reading: bytes.slice(from: offset, length: size), at: segment.address)
    }
}
