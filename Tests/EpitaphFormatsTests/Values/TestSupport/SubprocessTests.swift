// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("Programs that tests start")
struct SubprocessTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("A program that is still open for writing is started once it is closed")
    func busyProgram() throws {
        let program = directory.path("program")
        try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: program)
        let writer = open(program, O_WRONLY | O_CLOEXEC)
        try #require(writer >= 0)
        Thread.detachNewThread {
            usleep(100_000)
            close(writer)
        }
        #expect(try Subprocess.run([program]).ending == .exited(0))
    }

    @Test("A program that does not exist is an error that names it")
    func missingProgram() {
        #expect(throws: LaunchError.self) {
            try Subprocess.run([directory.path("missing")])
        }
    }
}
