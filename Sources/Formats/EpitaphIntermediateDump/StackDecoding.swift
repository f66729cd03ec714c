// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    /// The longest run of zeros that the handler leaves out of a stack.
    private static let zerosLimit = 8192

    /// A stack as it was in memory: the handler leaves a run of zeros out of a small stack and
    /// writes the part above it under separate keys.
    mutating func stack(_ map: DumpMap) -> MemoryRegion? {
        let lower = region(.stackRegionAddress, .stackRegionData, in: map)
        guard let upper = region(.stackUpperAddress, .stackUpperData, in: map) else { return lower }
        guard let lower, upper.address >= lower.addressRange.upperBound,
            upper.address - lower.addressRange.upperBound <= Self.zerosLimit,
            map.property(.stackRegionData)?.isCut == false
        else {
            note(
                place(of: .stackUpperData, in: map),
                "the upper part of a stack does not belong to its lower part and was left out")
            return lower
        }
        var builder = ByteBuilder()
        builder.append(lower.bytes)
        builder.appendZeros(Int(upper.address - lower.addressRange.upperBound))
        builder.append(upper.bytes)
        return MemoryRegion(address: lower.address, bytes: ByteSlice(builder.bytes))
    }

    /// Only complete addresses: the last one may be cut.
    mutating func asyncChainCuts(_ map: DumpMap) -> [UInt64] {
        guard let addresses = bytes(.asyncChainCuts, in: map) else { return [] }
        var cursor = ByteCursor(addresses)
        var found: [UInt64] = []
        while let address = try? cursor.read(UInt64.self) { found.append(address) }
        return found
    }
}
