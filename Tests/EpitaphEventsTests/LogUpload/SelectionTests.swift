// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphUpload
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("Which files are logs that are to be sent")
struct SelectionTests {
    let lab: LogLab

    init() throws {
        lab = try LogLab()
    }

    @Test("Rolled logs are sent, the oldest first, and deleted; all else is left alone")
    func selection() throws {
        try lab.write("three", to: "app.log.1", age: 100)
        try lab.write("one", to: "app.log-20261120", age: 300)
        try lab.write("two", to: "app.log.2.gz", age: 200)
        let others = [
            "app.log", "app.txt", ".app.log.1", "app.log.1~", "app.log.1.tmp", "app.log.1.part",
            "app.log.1.swp", "b.log.lock",
        ]
        for name in others { try lab.write("other", to: name) }
        var pass = try lab.pass()
        let summary = pass.run()
        #expect(lab.server.texts == ["one", "two", "three"])
        #expect(lab.server.files == ["app.log-20261120", "app.log.2.gz", "app.log.1"])
        #expect(lab.names == others.sorted())
        #expect(summary.uploadedCount == 3)
        #expect(
            lab.delegate.events == [
                "will app.log-20261120", "did app.log-20261120", "will app.log.2.gz",
                "did app.log.2.gz", "will app.log.1", "did app.log.1",
            ])
    }

    @Test("Excluded names win over rolled ones")
    func exclusion() throws {
        lab.options.selection = LogSelection(
            rolled: [GlobPattern("app*")],
            excluded: [GlobPattern("app.log"), GlobPattern("*.keep")])
        for name in ["app.log", "app.1", "app.2.keep"] { try lab.write("text", to: name) }
        var pass = try lab.pass()
        _ = pass.run()
        #expect(lab.names == ["app.2.keep", "app.log"])
    }

    @Test("Empty files, directories, symbolic links and FIFOs are left alone")
    func otherKinds() throws {
        try lab.write("", to: "app.log.1")
        try lab.write("secret", to: "target")
        #expect(symlink("target", lab.path + "/app.log.2") == 0)
        #expect(mkdir(lab.path + "/app.log.3", 0o700) == 0)
        #expect(mkfifo(lab.path + "/app.log.4", 0o600) == 0)
        let names = lab.names
        var pass = try lab.pass()
        let summary = pass.run()
        #expect(lab.server.requests.isEmpty)
        #expect(lab.names == names)
        #expect(summary == LogUploadSummary())
    }

    @Test("Two names for one file are one log")
    func hardLinks() throws {
        try lab.write("text", to: "app.log.1")
        #expect(link(lab.path + "/app.log.1", lab.path + "/app.log.2") == 0)
        var pass = try lab.pass()
        _ = pass.run()
        #expect(lab.server.texts == ["text"])
    }

    @Test("A symbolic link in place of the directory is refused, in a sentence")
    func linkedDirectory() throws {
        try lab.write("text", to: "app.log.1")
        lab.moveDirectoryAway()
        #expect(symlink("elsewhere", lab.path) == 0)
        var pass = try lab.pass()
        let summary = pass.run()
        #expect(
            summary.problem
                == "\(lab.path) is not a directory, or a symbolic link, which is not followed")
        #expect(lab.server.requests.isEmpty)
    }

    @Test("A directory that is missing is looked for again, and what was in it has vanished")
    func missingDirectory() throws {
        try lab.write("text", to: "app.log.1", age: 0)
        var pass = try lab.pass()
        #expect(pass.run().settlingCount == 1)
        lab.moveDirectoryAway()
        #expect(pass.run().problem?.contains(lab.path) == true)
        #expect(lab.delegate.news() == ["vanished app.log.1"])
        lab.bringDirectoryBack()
        #expect(pass.run().problem == nil)
        lab.clock.advance(bySeconds: 5)
        #expect(pass.run().uploadedCount == 1)
    }

    @Test("Names with spaces, braces, line breaks and other scripts go into URL and header as text")
    func hostileNames() throws {
        let name = "app.log.1 {uuid}\n日志?#%"
        try lab.write("text", to: name)
        var template = try RequestTemplate(
            .put, url: "http://logs.example.org/{uuid}/{file}",
            headers: [(name: "X-Name", value: "a {file} b")])
        template.compression = .none
        var pass = try lab.pass(to: template)
        _ = pass.run()
        let request = try #require(lab.server.requests.first)
        #expect(request.method == .put)
        #expect(request.file.removingPercentEncoding == name)
        #expect(request.headers["x-name"] == "a app.log.1 {uuid} 日志?#% b")
        #expect(lab.names.isEmpty)
    }

    @Test("A pattern means what it means to the C library")
    func globs() {
        let pieces = [
            "*", "?", "a", "b", ".", "[ab]", "[!a]", "[a-c]", "[]a]", "[!]a]", "\\*", "[a-]",
            "[^b]",
        ]
        let letters = ["a", "b", "c", ".", "-", "]", "*"]
        var random = SplitMix(state: 7)
        var matches = 0
        for _ in 0..<20_000 {
            let pattern = (0..<Int.random(in: 0...5, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let name = (0..<Int.random(in: 0...6, using: &random))
                .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
            let expected = fnmatch(pattern, name, 0) == 0
            matches += expected ? 1 : 0
            #expect(GlobPattern(pattern).matches(name) == expected, "\(pattern) \(name)")
        }
        #expect(matches > 1_000)
    }

    @Test("A pattern of many stars takes no time, and a bracket alone stands for itself")
    func oddGlobs() {
        let stars = GlobPattern(String(repeating: "*a", count: 60))
        #expect(!stars.matches(String(repeating: "a", count: 59) + "b"))
        #expect(stars.matches(String(repeating: "a", count: 200)))
        #expect(GlobPattern("a[b").matches("a[b"))
        #expect(GlobPattern("a\\").matches("a\\"))
    }
}
