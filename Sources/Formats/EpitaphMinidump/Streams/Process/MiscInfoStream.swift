// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_MISC_INFO in its first form, 24 bytes: process id and times in seconds.
enum MiscInfoStream {
    private static let byteCount: UInt32 = 24
    private static let processIDIsValid: UInt32 = 1
    private static let timesAreValid: UInt32 = 2

    static func place(_ process: ProcessFacts, in layout: inout FileLayout) -> Location {
        var flags: UInt32 = 0
        if process.id != nil { flags |= processIDIsValid }
        if process.startTime != nil { flags |= timesAreValid }

        var record = ByteBuilder()
        record.append(byteCount, flags, UInt32(bitPattern: process.id ?? 0))
        record.append(wholeSeconds(process.startTime?.secondsSince1970, .down))
        record.append(wholeSeconds(process.userTimeSeconds, .toNearestOrAwayFromZero))
        record.append(wholeSeconds(process.systemTimeSeconds, .toNearestOrAwayFromZero))
        return layout.place(record, for: "process times")
    }

    /// Zero for nil and for values beyond 32 bits.
    static func wholeSeconds(_ seconds: Double?, _ rule: FloatingPointRoundingRule) -> UInt32 {
        seconds.flatMap { UInt32(exactly: $0.rounded(rule)) } ?? 0
    }

    static func read(
        _ stream: ByteSlice, from _: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream, offset: 4)
        let flags = try cursor.read(UInt32.self)
        let id = try cursor.read(Int32.self)
        if flags & processIDIsValid != 0 { snapshot.process.id = id }
        guard flags & timesAreValid != 0 else { return }
        // 0 if the writer did not know it.
        let start = try cursor.read(UInt32.self)
        snapshot.process.startTime =
            start == 0 ? nil : Timestamp(secondsSince1970: Double(start))
        snapshot.process.userTimeSeconds = Double(try cursor.read(UInt32.self))
        snapshot.process.systemTimeSeconds = Double(try cursor.read(UInt32.self))
    }
}
