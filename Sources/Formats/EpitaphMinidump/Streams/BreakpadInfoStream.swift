// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Breakpad's MDRawBreakpadInfo, 12 bytes, which is only read: it has the crashing thread's id if
/// the exception stream does not.
enum BreakpadInfoStream {
    private static let requestingThreadIsValid: UInt32 = 2

    static func read(
        _ stream: ByteSlice, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let validity = try cursor.read(UInt32.self)
        try cursor.skip(4)
        let requestingThread = try cursor.read(UInt32.self)
        guard validity & requestingThreadIsValid != 0, snapshot.exception?.threadID == nil else {
            return
        }
        snapshot.exception?.threadID = UInt64(requestingThread)
    }
}
