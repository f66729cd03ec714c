// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// CommentStreamA and CommentStreamW: text that the program passed to MiniDumpWriteDump, ended by a
/// zero or by the end of the stream. Only read.
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
