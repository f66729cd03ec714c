// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("A file is sent as it was opened, or not at all")
struct BodyFileTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func file(
        _ bytes: [UInt8], growth: BodyFile.Growth = .refused
    ) throws -> (path: String, file: BodyFile) {
        let path = try directory.write(bytes, to: "file")
        return (
            path, try BodyFile(reading: try FileDescriptor.openForReading(path), growth: growth)
        )
    }

    private func change(_ path: String, _ edit: (FileHandle) throws -> Void) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try edit(handle)
        try handle.close()
    }

    @Test("Its name may go to another file meanwhile")
    func renamed() throws {
        let (path, file) = try file(Array("mine".utf8))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/etc/passwd")
        #expect(try StreamedBody([.file(file)]).readAll() == Array("mine".utf8))
    }

    @Test(
        "One that becomes shorter, longer, or is written to while it is sent is an error in words")
    func changes() throws {
        let edits: [(String, (FileHandle) throws -> Void)] = [
            ("became shorter", { try $0.truncate(atOffset: 3) }),
            (
                "became longer",
                {
                    try $0.seekToEnd(); try $0.write(contentsOf: [1])
                }
            ),
            ("was written to", { try $0.write(contentsOf: [9]) }),
        ]
        for (words, edit) in edits {
            let (path, file) = try file([UInt8](repeating: 7, count: 200_000))
            let body = StreamedBody([.file(file)])
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
            defer { buffer.deallocate() }
            #expect(try body.read(into: buffer) == 1_000)
            usleep(20_000)
            try change(path, edit)
            let error = #expect(throws: TransportError.self) { try body.read(into: buffer) }
            #expect(error?.description.contains("\(path) \(words) while it was being sent") == true)
        }
    }

    @Test("A log that somebody named may grow: it is sent as far as it went when it was opened")
    func growingLog() throws {
        let path = try directory.write(Array("line\n".utf8), to: "log")
        let attachment = OutgoingAttachment(filePath: path)
        try change(path) {
            try $0.seekToEnd()
            try $0.write(contentsOf: Array("more\n".utf8))
        }
        let body = StreamedBody([try attachment.content.opened()])
        #expect(try body.readAll() == Array("line\n".utf8) && attachment.type == .text)
    }

    @Test("Compressed, too: neither pass over it takes another file's bytes")
    func compressed() throws {
        let (path, file) = try file(
            (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435) })
        let body = try GzipBody(compressing: StreamedBody([.file(file)]), keepLimit: 0)
        usleep(20_000)
        try change(path) { try $0.write(contentsOf: [1, 2, 3]) }
        #expect(throws: TransportError.self) { try body.readAll() }
    }

    @Test(
        "A link, a directory and a pipe are no files to send", arguments: ["link", "dir", "pipe"])
    func kinds(kind: String) throws {
        let path = directory.path(kind)
        switch kind {
        case "link": #expect(symlink("/etc/passwd", path) == 0)
        case "dir": #expect(mkdir(path, 0o700) == 0)
        default: #expect(mkfifo(path, 0o600) == 0)
        }
        let attachment = OutgoingAttachment(filePath: path)
        guard case .unreadable(let reason) = attachment.content else {
            Issue.record("it was opened")
            return
        }
        #expect(reason.contains(path))
    }
}
