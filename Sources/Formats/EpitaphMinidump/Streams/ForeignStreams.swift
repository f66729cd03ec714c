// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Breakpad's MDRawBreakpadInfo, 12 bytes, for the crashing thread's id. Only read.
enum BreakpadInfoStream {
    private static let requestingThreadIsValid: UInt32 = 2

    static func read(
        _ stream: ByteSlice, from _: inout MinidumpFile, into snapshot: inout ProcessSnapshot
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

/// CommentStreamA and -W: text passed to MiniDumpWriteDump, up to a zero. Only read.
enum CommentStreams {
    private static let byteLimit = 1 << 20

    static func read(from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot) {
        var texts: [String] = []
        if let stream = file.stream(.commentASCII) {
            let bytes = stream.slice(from: 0, length: byteLimit).array.prefix { $0 != 0 }
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        if let stream = file.stream(.commentUnicode) {
            texts.append(UTF16Text.untilZero(stream.slice(from: 0, length: byteLimit)))
        }
        snapshot.messages += texts.filter { !$0.isEmpty }
            .map { CrashMessage(source: "comment", text: $0) }
    }
}

/// Breakpad's MDRawAssertionInfo, 776 bytes: UTF-16 texts of 128 units, and a line. Only read.
enum AssertionInfoStream {
    private static let textByteCount = 256

    static func read(
        _ stream: ByteSlice, from _: inout MinidumpFile, into snapshot: inout ProcessSnapshot
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
