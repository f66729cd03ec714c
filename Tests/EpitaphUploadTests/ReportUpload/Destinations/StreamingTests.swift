// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Reports with large files")
struct StreamingTests {
    /// Counts what it is given and looks at nothing.
    private func drained(_ body: any BodySource) throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var total = 0
        while true {
            let count = try body.read(into: buffer)
            guard count > 0 else { return total }
            total += count
        }
    }

    /// A file that has a size and no blocks: holes, lseek(2).
    private func emptyFile(_ size: UInt64, _ name: String, in directory: TemporaryDirectory) throws
        -> OutgoingContent
    {
        let path = try directory.write([], to: name)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: size)
        return .file(path: path)
    }

    private func report(_ size: UInt64, in directory: TemporaryDirectory) throws -> OutgoingReport {
        var report = OutgoingReport.example(["prod": "p"])
        report.minidump = try emptyFile(size, "dump", in: directory)
        report.attachments = [
            OutgoingAttachment(name: "a", content: try emptyFile(size, "a", in: directory)),
            OutgoingAttachment(name: "b", content: try emptyFile(size, "b", in: directory)),
        ]
        return report
    }

    static let specifications = [
        "https://host/", "sentry:https://key@host/7", "sentry:https://key@host/7?frames=own",
        "backtrace:u/0123456789abcdef", "socorro:https://host/", "put:https://host/",
    ]

    /// 24 GiB of files fit into the memory of no machine that tests run on: whoever gathered the
    /// bytes for a request would fail here.
    @Test(
        "Minidump and attachments are read as the body is, at the promised length",
        arguments: specifications)
    func plain(specification: String) throws {
        let directory = try TemporaryDirectory()
        var options = DestinationOptions()
        options.compression = .none
        let destination = try DestinationSpecification(specification).destination(options)
        var random = FixedRandom()
        let small = try destination.request(for: report(8 << 20, in: directory), random: &random)
        let files = specification.hasPrefix("put") ? 1 : 3
        #expect((0..<4096).contains(small.body.contentLength - files * (8 << 20)))
        #expect(try drained(small.body) == small.body.contentLength)
        let large = try destination.request(for: report(8 << 30, in: directory), random: &random)
        // An envelope says its files' sizes in decimal digits.
        let difference = large.body.contentLength - small.body.contentLength
        #expect((0...files * 3).contains(difference - files * ((8 << 30) - (8 << 20))))
    }

    @Test("Compressed, the length is known before and kept to", arguments: specifications)
    func compressed(specification: String) throws {
        let directory = try TemporaryDirectory()
        let destination = try DestinationSpecification(specification).destination()
        var random = FixedRandom()
        let request = try destination.request(for: report(2 << 20, in: directory), random: &random)
        #expect(try drained(request.body) == request.body.contentLength)
        try request.body.rewind()
        #expect(try drained(request.body) == request.body.contentLength)
    }

    @Test(
        "An attachment that is gone, a link or no file is an error that names it",
        arguments: specifications.filter { !$0.hasPrefix("put") })
    func badAttachments(specification: String) throws {
        let directory = try TemporaryDirectory()
        let target = try directory.write([1], to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: target)
        let destination = try DestinationSpecification(specification).destination()
        var random = FixedRandom()
        for path in [directory.path("missing"), directory.path("link"), directory.path] {
            var report = OutgoingReport.example()
            report.attachments = [OutgoingAttachment(name: "a", content: .file(path: path))]
            let error = #expect(throws: TransportError.self) {
                try destination.request(for: report, random: &random)
            }
            #expect(error?.description.contains(path) == true, "\(String(describing: error))")
        }
    }
}
