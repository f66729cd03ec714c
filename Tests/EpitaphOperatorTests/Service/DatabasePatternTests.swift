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

    @Test("A pattern finds directories, sorted; a parent that is missing has none")
    func paths() throws {
        let directory = try TemporaryDirectory()
        for name in ["b", "a", ".c"] { mkdir(directory.path(name), 0o700) }
        let pattern = try #require(DatabasePattern(directory.path("*")))
        #expect(try pattern.paths() == ([directory.path("a"), directory.path("b")], []))
        let missing = try #require(DatabasePattern(directory.path("missing/*")))
        #expect(try missing.paths() == ([], []))
        let named = try #require(DatabasePattern(directory.path("missing")))
        #expect(try named.paths() == ([directory.path("missing")], []))
    }

    @Test("A database behind a link is found, as systemd makes it for a dynamic user")
    func links() throws {
        let directory = try TemporaryDirectory()
        for name in ["private", "private/db", "epitaph"] { mkdir(directory.path(name), 0o700) }
        symlink("../private/db", directory.path("epitaph/db"))
        let pattern = try #require(DatabasePattern(directory.path("epitaph/*")))
        #expect(try pattern.paths() == ([directory.path("epitaph/db")], []))
    }

    @Test("A link that cannot be followed is named; one to a database beside it is left out")
    func skipped() throws {
        let directory = try TemporaryDirectory()
        mkdir(directory.path("db"), 0o700)
        _ = try directory.write([], to: "file")
        symlink("db", directory.path("again"))
        symlink("missing", directory.path("lost"))
        let (found, skipped) = try #require(DatabasePattern(directory.path("*"))).paths()
        #expect(found == [directory.path("db")])
        #expect(
            skipped == [
                "\(directory.path("lost")) is not watched: the link cannot be followed: "
                    + "\(directory.path("missing")): No such file or directory (openat)"
            ])
    }
}
