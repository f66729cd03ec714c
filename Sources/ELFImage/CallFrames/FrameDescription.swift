// SPDX-License-Identifier: Apache-2.0

import Bytes

/// An FDE: the call frame information of one function. DWARF 5, 6.4.1; LSB Core, 10.6.1.2.
struct FrameDescription: Sendable {
    let common: CommonFrameInformation
    /// Addresses as in the file.
    let addressRange: Range<UInt64>
    let instructions: ByteSlice

    /// - Parameter address: where `body` is in memory; it begins behind the entry's identifier.
    init(reading body: ByteSlice, at address: UInt64, common: CommonFrameInformation) throws {
        var cursor = ByteCursor(body)
        let encoding = common.pointerEncoding
        guard let start = try encoding.readAddress(&cursor, sliceAddress: address),
            let size = try encoding.readValue(&cursor)
        else { throw MalformedCallFrames() }
        let end = start.addingReportingOverflow(size)
        guard !end.overflow else { throw MalformedCallFrames() }
        addressRange = start..<end.partialValue
        if common.hasAugmentationLength {
            try cursor.skip(Int(clamping: try cursor.readULEB128()))
        }
        instructions = cursor.readRest()
        self.common = common
    }
}
