// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite("What a program knows about itself")
struct CurrentProcessTests {
    /// In a process of its own: setenv(3) moves what other threads read.
    @Test("An environment variable that is empty is none")
    func environment() async {
        await #expect(processExitsWith: .success) {
            setenv("EPITAPH_TEST_EMPTY", "", 1)
            setenv("EPITAPH_TEST_SET", "a b", 1)
            #expect(CurrentProcess.environmentVariable("EPITAPH_TEST_EMPTY") == nil)
            #expect(CurrentProcess.environmentVariable("EPITAPH_TEST_UNSET") == nil)
            #expect(CurrentProcess.environmentVariable("EPITAPH_TEST_SET") == "a b")
        }
    }

    @Test("A real path has no links in it, and a missing one is an error")
    func realPaths() throws {
        let directory = try TemporaryDirectory()
        let root = try realPath(of: directory.path)
        try directory.write([1], to: "file")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: "file")
        #expect(try realPath(of: directory.path + "/./link") == root + "/file")
        #expect(throws: SystemError.self) { try realPath(of: directory.path("none")) }
    }
}
