// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// MINIDUMP_EXCEPTION_STREAM, 168 bytes.
enum ExceptionStream {
    private static let parameterLimit = 15

    static func place(
        _ exception: ExceptionSnapshot, context: Location, in layout: inout FileLayout
    ) -> Location {
        var record = ByteBuilder()
        record.append(UInt32(truncatingIfNeeded: exception.threadID ?? 0))
        record.append(UInt32(0))  // alignment
        record.append(UInt32(bitPattern: exception.signal))
        record.append(UInt32(bitPattern: exception.code))
        record.append(UInt64(0))  // nested exception
        record.append(exception.address)
        let parameters = SignalParameters.encode(exception)
        record.append(UInt32(truncatingIfNeeded: parameters.count))
        record.append(UInt32(0))  // alignment
        for index in 0..<parameterLimit {
            record.append(index < parameters.count ? parameters[index] : 0)
        }
        record.append(context)
        return layout.place(record, for: "exception")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let threadID = try cursor.read(UInt32.self)
        try cursor.skip(4)
        let signal = try cursor.read(Int32.self)
        let code = try cursor.read(Int32.self)
        try cursor.skip(8)
        var exception = ExceptionSnapshot(
            signal: signal, code: code, address: try cursor.read(UInt64.self))
        exception.threadID = threadID == 0 ? nil : UInt64(threadID)
        // What can be read of a stream cut here is kept.
        snapshot.exception = exception
        let count = min(Int(try cursor.read(UInt32.self)), parameterLimit)
        try cursor.skip(4)
        var parameters: [UInt64] = []
        for _ in 0..<parameterLimit { parameters.append(try cursor.read(UInt64.self)) }
        let words = Array(parameters.prefix(count))
        SignalParameters.decode(words, into: &exception)
        snapshot.exception = exception
        let context = try cursor.readLocation()
        exception.registers = file.context(
            at: context, on: snapshot.architecture, of: "exception")
        SignalParameters.decode(words, into: &exception)
        snapshot.exception = exception
    }
}
