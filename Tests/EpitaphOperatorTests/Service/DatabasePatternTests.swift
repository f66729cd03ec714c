// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Glibc
import Testing

@testable import EpitaphService

@Suite("Which databases a section names")
struct DatabasePatternTests {
    @Test(
        "A star stands for any characters of the last part of a path",
        arguments: [
            ("/var/lib/epitaph/*", "/var/lib/epitaph/nginx", true),
            ("/var/lib/epitaph/*/", "/var/lib/epitaph/nginx", true),
            ("/var/lib/epitaph/*", "/var/lib/epitaph/.hidden", false),
            ("/var/lib/epitaph/*", "/var/lib/epitaph/a/b", false),
            ("/var/lib/epitaph/*", "/var/lib/other/a", false),
            ("/srv/d-*-db", "/srv/d-one-db", true),
            ("/srv/d-*-db", "/srv/d-db", false),
            ("/srv/*a*b*", "/srv/xaxxbx", true),
            ("/srv/*a*b*", "/srv/xbxa", false),
            ("/srv/aa*aa", "/srv/aaa", false),
            ("nginx", "/var/lib/epitaph/nginx", true),
            ("/*", "/database", true),
        ])
    func matches(text: String, path: String, isMatch: Bool) throws {
        #expect(try #require(DatabasePattern(text)).matches(path) == isMatch)
    }

    @Test(
        "What may lead elsewhere is no database",
        arguments: ["", "/", "a/b", "/srv/*/db", "/srv/../etc", "..", "/srv/."])
    func refused(text: String) {
        #expect(DatabasePattern(text) == nil)
    }

    @Test("A pattern finds directories, sorted, and no files; a parent that is missing has none")
    func paths() throws {
        let directory = try TemporaryDirectory()
        for name in ["b", "a", ".c"] { mkdir(directory.path(name), 0o700) }
        _ = try directory.write([], to: "file")
        let pattern = try #require(DatabasePattern(directory.path("*")))
        #expect(try pattern.paths() == [directory.path("a"), directory.path("b")])
        let missing = try #require(DatabasePattern(directory.path("missing/*")))
        #expect(try missing.paths() == [])
        let named = try #require(DatabasePattern(directory.path("missing")))
        #expect(try named.paths() == [directory.path("missing")])
    }
}
