// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("While the program forks, our threads wait")
struct ForkingTests {
    private static let program = Result { () throws -> (TemporaryDirectory, String) in
        let directory = try TemporaryDirectory()
        let sources = "\(Products.packageRoot)/Sources/System/CEpitaphSystem"
        let compiler = try Subprocess.run([
            "clang", "-std=gnu17", "-Wall", "-Werror", "-I\(sources)/include", "-pthread",
            Products.fixture("forking.c"), "\(sources)/waits.c", "-o", directory.path("forking"),
        ])
        try #require(compiler.ending == .exited(0), "\(compiler.standardError)")
        return (directory, directory.path("forking"))
    }

    @Test("No child finds a lock that a thread of ours held")
    func noLockIsHeld() throws {
        let run = try Subprocess.run([Self.program.get().1], deadlineSeconds: 120)
        #expect(run.ending == .exited(0), "\(run.standardOutput)")
    }

    @Test("A call under a lock that the program takes for its forks does not keep it from forking")
    func handler() throws {
        let run = try Subprocess.run([Self.program.get().1, "handler"], deadlineSeconds: 120)
        #expect(run.ending == .exited(0), "\(run.standardOutput)")
    }

    @Test("A thread that works on and on does not keep the program from forking")
    func onAndOn() throws {
        let run = try Subprocess.run([Self.program.get().1, "on-and-on"], deadlineSeconds: 120)
        #expect(run.ending == .exited(0), "\(run.standardOutput)")
    }
}
