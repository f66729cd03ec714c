// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Compressed bodies")
struct GzipBodyTests {
    static let sizes = [0, 1, 4096, 65_535, 65_536, 65_537, 1_000_003]

    @Test(
        "Python's gzip gives back what went in, kept in memory or compressed twice",
        arguments: sizes, [0, 1 << 20])
    func roundTrip(size: Int, keepLimit: Int) throws {
        var random = FixedRandom()
        // Half noise, half a pattern: stored and compressed blocks alike.
        let noise = random.bytes(size / 2)
        let bytes = noise + (0..<size - noise.count).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        let body = try GzipBody(
            compressing: StreamedBody([.bytes(ByteSlice(bytes))]), keepLimit: keepLimit)
        let sent = try body.readAll()
        #expect(sent.count == body.contentLength)
        #expect(try gunzipped(sent) == bytes)
        try body.rewind()
        #expect(try body.readAll(step: 1_021) == sent)
    }

    @Test(
        "The bytes do not depend on the size of the reader's buffers", arguments: [1, 17, 70_000])
    func bufferSizes(step: Int) throws {
        var random = FixedRandom()
        let source = StreamedBody([.bytes(ByteSlice(random.bytes(150_000)))])
        let expected = try GzipBody(compressing: source, keepLimit: .max).readAll()
        source.rewind()
        #expect(try GzipBody(compressing: source, keepLimit: 0).readAll(step: step) == expected)
    }

    @Test("Zeros shrink, and the header carries neither a name nor a time (RFC 1952 2.3)")
    func header() throws {
        let zeros = StreamedBody([.bytes(ByteSlice([UInt8](repeating: 0, count: 1 << 20)))])
        let sent = try GzipBody(compressing: zeros).readAll()
        #expect(sent.count < 4096)
        #expect(sent.prefix(8) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
    }

    @Test(
        "A file that changes between counting and sending is an error, never a wrong length",
        arguments: [0, 90_000, 199_999])
    func changedFile(at offset: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([UInt8](repeating: 7, count: 200_000), to: "dump")
        let body = try GzipBody(
            compressing: StreamedBody([.file(BodyFile(opening: path))]), keepLimit: 0)
        var random = FixedRandom()
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(random.bytes(200_000 - offset)))
        if offset == 199_999 { try handle.truncate(atOffset: 100_000) }
        #expect(throws: TransportError.self) { try body.readAll() }
    }

    @Test("A file that shrank after it was opened is an error that names it")
    func shrunkFile() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([1, 2, 3, 4], to: "dump")
        let body = StreamedBody([.file(try BodyFile(opening: path))])
        try Data([1]).write(to: URL(fileURLWithPath: path))
        #expect(
            throws: TransportError.bodyUnreadable(
                reason: "\(path) became shorter while it was being sent")
        ) { try body.readAll() }
    }

    @Test("What a file grew by after it was opened is not sent")
    func grownFile() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([1, 2], to: "dump")
        let body = StreamedBody([.file(try BodyFile(opening: path)), .bytes(ByteSlice([9]))])
        try Data([1, 2, 3, 4]).write(to: URL(fileURLWithPath: path))
        #expect(try body.readAll() == [1, 2, 9])
        #expect(body.contentLength == 3)
    }
}
