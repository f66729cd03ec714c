// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("Logs whose names are not UTF-8")
struct OddNameTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    /// Gives a file of the lab a name of these bytes.
    private func rename(_ name: String, _ bytes: [UInt8]) {
        let new = Array((lab.path + "/").utf8CString.dropLast())
        let target = new + bytes.map { CChar(truncatingIfNeeded: $0) } + [0]
        #expect(Glibc.rename(lab.path + "/" + name, target) == 0)
    }

    @Test("Are told of, called something that is text, and sent like any other")
    func sent() throws {
        try lab.write("text", to: "app")
        rename("app", Array("caf".utf8) + [0xe9] + Array(".log.1".utf8))
        var pass = try lab.pass()
        let summary = pass.run()
        #expect(summary.uploadedCount == 1 && lab.names.isEmpty)
        #expect(
            summary.nameProblems == [
                "\(lab.path): the name of a rolled log is not UTF-8; it is called caf%E9.log.1 now"
            ])
        #expect(lab.server.texts == ["text"])
    }

    @Test("Stay where another file has that name, and the sentence says so at each look")
    func taken() throws {
        try lab.write("mine", to: "app")
        rename("app", [0xff] + Array(".log.1".utf8))
        try lab.write("other", to: "%FF.log.1")
        lab.delegate.isWilling = { _ in false }
        var pass = try lab.pass()
        #expect(pass.run().nameProblems.first?.contains("File exists; rename it") == true)
        #expect(lab.text("%FF.log.1") == "other")
    }

    @Test("Are left alone when no rolled log is called so")
    func foreign() throws {
        try lab.write("text", to: "app")
        rename("app", Array("notes".utf8) + [0xff])
        var pass = try lab.pass()
        #expect(pass.run().nameProblems.isEmpty)
    }
}
