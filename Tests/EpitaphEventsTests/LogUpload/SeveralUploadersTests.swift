// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("Several uploaders on one directory", .timeLimit(.minutes(45)))
struct SeveralUploadersTests {
    @Test("Each log is sent once")
    func together() throws {
        let parent = try TemporaryDirectory()
        let count = 150
        for number in 1...count {
            let name = "app.log.\(number)"
            try writeLog(Array("log \(number)".utf8), to: parent.path, name)
            try FileManager.default.setAttributes(
                [.modificationDate: (Timestamp.now.adding(seconds: -3_600)).date],
                ofItemAtPath: parent.path(name))
        }
        let server = try LogServer()
        let children = try (1...4).map { _ in
            try Subprocess.spawn([
                Products.executable("dump-convert"), "upload-logs", parent.path, "--url",
                server.url,
            ])
        }
        for child in children {
            // 1 for one that found a log busy and left it to the others.
            let ending = Subprocess.wait(for: child, deadlineSeconds: 100)
            #expect([.exited(0), .exited(1)].contains(ending))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
        #expect(server.received.count == count)
        #expect(Set(server.received.map(\.id)).count == count)
        #expect(server.complaints == "")
    }
}
