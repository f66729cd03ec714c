// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Breakpad's MDRawAssertionInfo, 776 bytes, which is only read: the assertion that failed, as
/// three UTF-16 texts of 128 units each, and a line.
enum AssertionInfoStream {
    private static let textByteCount = 256

    static func read(
        _ stream: ByteSlice, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream)
        let expression = UTF16Text.untilZero(try cursor.readSlice(count: textByteCount))
        let function = UTF16Text.untilZero(try cursor.readSlice(count: textByteCount))
        let file = UTF16Text.untilZero(try cursor.readSlice(count: textByteCount))
        let line = try cursor.read(UInt32.self)
        guard !expression.isEmpty else { return }
        var text = expression
        if !function.isEmpty { text += ", in \(function)" }
        if !file.isEmpty { text += ", at \(file):\(line)" }
        snapshot.messages.append(CrashMessage(source: "assertion", text: text))
    }
}
