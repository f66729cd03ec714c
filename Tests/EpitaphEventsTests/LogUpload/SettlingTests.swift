// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("When a log is finished")
struct SettlingTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    @Test("One that was written to a moment ago is sent when it has stayed as it is for a while")
    func settles() throws {
        try lab.write("text", to: "app.log.1", age: 1)
        var pass = try lab.pass()
        var summary = pass.run()
        #expect(summary.settlingCount == 1)
        #expect(summary.secondsToNextStep == 5)
        lab.clock.advance(bySeconds: 4)
        summary = pass.run()
        #expect(summary.secondsToNextStep == 1)
        lab.clock.advance(bySeconds: 1)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["text"])
    }

    @Test("One that grows starts over")
    func grows() throws {
        try lab.write("te", to: "app.log.1", age: 1)
        var pass = try lab.pass()
        _ = pass.run()
        lab.clock.advance(bySeconds: 4)
        try lab.write("text", to: "app.log.1", age: 0)
        #expect(pass.run().settlingCount == 1)
        lab.clock.advance(bySeconds: 4)
        #expect(pass.run().settlingCount == 1)
        lab.clock.advance(bySeconds: 1)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["text"])
        #expect(lab.delegate.news() == ["did app.log.1"])
    }

    @Test("An old one is sent at once at the start, and waited for when it gets its name later")
    func rolledLater() throws {
        try lab.write("text", to: "app.log.1")
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
        try lab.write("more", to: "app.log")
        lab.rename("app.log", "app.log.1")
        #expect(pass.run().settlingCount == 1)
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
    }

    @Test("The time of day may jump; what counts is a clock that does not", arguments: [-1e6, 1e6])
    func jumps(_ seconds: Double) throws {
        try lab.write("old", to: "app.log.1", age: 10)
        lab.server.answer(UploadResponse(status: 500))
        var pass = try lab.pass()
        #expect(pass.run().failedCount == 1)
        try lab.write("young", to: "app.log.2", age: 0)
        _ = pass.run()
        lab.clock.set(lab.clock.now().adding(seconds: seconds))
        #expect(pass.run().settlingCount == 1)
        #expect(lab.server.files == ["app.log.1", "app.log.1"])
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["old", "old", "young"])
    }

    @Test("A time in the future, left by a clock that was set back, is no reason to wait for it")
    func future() throws {
        try lab.write("text", to: "app.log.1", age: -1e8)
        var pass = try lab.pass()
        #expect(pass.run().settlingCount == 1)
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
    }

    @Test("One that a process has open for writing is not sent before it is closed")
    func openForWriting() throws {
        try lab.write("te", to: "app.log.1")
        let writer = open(lab.path + "/app.log.1", O_WRONLY | O_APPEND | O_CLOEXEC)
        var pass = try lab.pass()
        for _ in 0..<3 {
            #expect(pass.run().settlingCount == 1)
            lab.clock.advance(bySeconds: 100)
        }
        #expect(lab.server.requests.isEmpty)
        Glibc.write(writer, "xt", 2)
        try lab.setAge(of: "app.log.1", 0)
        try closeLog(writer, lab.path + "/app.log.1")
        _ = pass.run()
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["text"])
    }

    @Test("Neither is one that another process reads kept back")
    func openForReading() throws {
        try lab.write("text", to: "app.log.1")
        let reader = open(lab.path + "/app.log.1", O_RDONLY | O_CLOEXEC)
        defer { close(reader) }
        var pass = try lab.pass()
        #expect(pass.run().uploadedCount == 1)
    }

    @Test("One that is being compressed is waited for, and vanishes into what it becomes")
    func compression() throws {
        try lab.write("text", to: "app.log.1")
        try lab.write([0x1f, 0x8b], to: "app.log.1.gz", age: 0)
        var pass = try lab.pass()
        #expect(pass.run().settlingCount == 2)
        try lab.write([0x1f, 0x8b, 8], to: "app.log.1.gz", age: 0)
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().settlingCount == 2)
        lab.remove("app.log.1")
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.delegate.news() == ["vanished app.log.1", "did app.log.1.gz"])
    }

    @Test(
        "A compressor that has written nothing yet, or gave up long ago", arguments: [true, false])
    func otherCompression(_ isEmpty: Bool) throws {
        try lab.write("text", to: "app.log.1")
        try lab.write(isEmpty ? [] : [0x1f], to: "app.log.1.gz")
        var pass = try lab.pass()
        let summary = pass.run()
        #expect(summary.settlingCount == (isEmpty ? 1 : 0))
        #expect(summary.uploadedCount == (isEmpty ? 0 : 2))
    }

    @Test("A log that is gone before it was sent has vanished; one that shrank is another one")
    func vanishing() throws {
        try lab.write("first", to: "app.log.1", age: 0)
        try lab.write("second", to: "app.log.2", age: 0)
        var pass = try lab.pass()
        _ = pass.run()
        lab.remove("app.log.1")
        try lab.write("new", to: "app.log.2", age: 0)
        _ = pass.run()
        #expect(lab.delegate.news() == ["vanished app.log.1", "vanished app.log.2"])
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
        #expect(lab.server.texts == ["new"])
    }
}
