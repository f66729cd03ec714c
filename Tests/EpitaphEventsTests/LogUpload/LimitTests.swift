// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("How many logs are kept")
struct LimitTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    private static func files(_ sizes: [Int]) -> [LogFile] {
        sizes.enumerated().map { index, size in
            LogFile(
                name: "\(index)", directoryPath: "/",
                identity: FileIdentity(device: 1, inode: UInt64(index)), sizeBytes: size,
                modificationTime: Timestamp(secondsSince1970: Double(index)))
        }
    }

    struct Case: Sendable {
        var sizes: [Int]
        var count = 0
        var bytes = 0
        var spared: Int?
        var excess: [Int]
    }

    @Test(
        "The oldest go, no more than must",
        arguments: [
            Case(sizes: [1, 1, 1], excess: []),
            Case(sizes: [], count: 1, bytes: 1, excess: []),
            Case(sizes: [1, 1, 1], count: 3, excess: []),
            Case(sizes: [1, 1, 1], count: 2, excess: [0]),
            Case(sizes: [1, 1, 1], count: 1, excess: [0, 1]),
            Case(sizes: [5, 5, 5], bytes: 15, excess: []),
            Case(sizes: [5, 5, 5], bytes: 14, excess: [0]),
            Case(sizes: [1, 9, 5], bytes: 5, excess: [0, 1]),
            Case(sizes: [5, 5, 5], bytes: 1, excess: [0, 1, 2]),
            Case(sizes: [5, 5, 5], bytes: 1, spared: 2, excess: [0, 1]),
            Case(sizes: [5, 5, 5], count: 1, spared: 0, excess: [1, 2]),
            Case(sizes: [0, 0, 5], count: 2, bytes: 4, excess: [0, 1, 2]),
            Case(sizes: [.max, .max, 1], bytes: .max, excess: []),
            Case(sizes: [-1, 5], bytes: 4, excess: [0, 1]),
        ])
    func excess(_ example: Case) {
        var limits = LogLimits()
        limits.maximumFiles = example.count
        limits.diskQuotaBytes = example.bytes
        let files = Self.files(example.sizes)
        let excess = limits.excess(of: files, sparing: example.spared.map { files[$0] })
        #expect(excess.map(\.0.name) == example.excess.map(String.init))
    }

    @Test("Logs beyond the number are deleted unsent, and the delegate is told why")
    func maximumFiles() throws {
        for number in 1...4 {
            try lab.write("\(number)", to: "app.log.\(number)", age: Double(number) * 100)
        }
        lab.options.limits.maximumFiles = 2
        lab.server.answer = { _ throws(TransportError) in
            throw .cannotConnect(server: "http://logs.example.org", reason: "refused")
        }
        var pass = try lab.pass()
        #expect(pass.run().discardedCount == 2)
        #expect(lab.names == ["app.log.1", "app.log.2"])
        #expect(
            Array(lab.delegate.news().prefix(2)) == [
                "discarded app.log.4: maximumFiles", "discarded app.log.3: maximumFiles",
            ])
        try lab.write("0", to: "app.log.0", age: 0)
        #expect(pass.run().discardedCount == 1)
        #expect(lab.names == ["app.log.0", "app.log.1"])
    }

    @Test("A log larger than the quota alone is tried once before it goes")
    func diskQuota() throws {
        lab.options.limits.diskQuotaBytes = 10
        try lab.write("this is longer than that", to: "app.log.1", age: 0)
        lab.server.answer = { _ in UploadResponse(status: 500) }
        var pass = try lab.pass()
        #expect(pass.run().settlingCount == 1)
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().failedCount == 1)
        #expect(pass.run().discardedCount == 1)
        #expect(lab.names.isEmpty)
        #expect(lab.delegate.news().last == "discarded app.log.1: diskQuota")
    }

    @Test("One that another uploader is sending stays")
    func beingSent() throws {
        lab.options.limits.maximumFiles = 1
        try lab.write("old", to: "app.log.2", age: 7_200)
        try lab.write("new", to: "app.log.1", age: 3_600)
        let file = try FileDescriptor.openForReading(lab.path + "/app.log.2")
        #expect(try file.tryLocking(.exclusive))
        var pass = try lab.pass()
        #expect(pass.run().discardedCount == 0)
        #expect(lab.names == ["app.log.2"])
        #expect(lab.server.texts == ["new"])
    }

    @Test("Waits grow, and start anew after an answer")
    func hold() {
        var hold = ServerHold()
        let delay: (Int) -> Double = { Double($0) * 10 }
        #expect(hold.end < 0)
        hold.noteFailure(at: 100, askedSeconds: nil, delaySeconds: delay)
        #expect(hold.end == 110)
        hold.noteFailure(at: 110, askedSeconds: 300, delaySeconds: delay)
        #expect(hold.end == 410)
        hold.lift()
        #expect(hold.end == 410)
        hold.noteFailure(at: 500, askedSeconds: nil, delaySeconds: delay)
        #expect(hold.end == 530)
        hold.lift()
        #expect(hold.end == 410)
        hold.noteAnswer()
        hold.noteFailure(at: 600, askedSeconds: nil, delaySeconds: delay)
        #expect(hold.end == 610)
    }
}
