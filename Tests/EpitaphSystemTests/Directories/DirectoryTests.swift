// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

@Suite struct DirectoryTests {
    let temporary: TemporaryDirectory
    let directory: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = try Directory(opening: temporary.path)
    }

    @Test("A directory is made with mode 0700, and one that is there is left alone")
    func make() throws {
        #expect(try Directory.make(temporary.path("a")) == true)
        #expect(try Directory.make(temporary.path("a")) == false)
        #expect(try directory.status(of: "a")?.permissions == 0o700)
        #expect(try directory.status(of: "a")?.kind == .directory)
        let inner = try directory.makeAndOpen("b")
        #expect(inner.path == temporary.path("b"))
        #expect(try directory.status(of: "b")?.permissions == 0o700)
    }

    @Test("A parent that is missing or a file is an error that names the path")
    func makeFails() throws {
        try temporary.write([], to: "file")
        #expect(throws: SystemError(call: "mkdir", subject: "/proc/epitaph", errorNumber: ENOENT)) {
            try Directory.make("/proc/epitaph")
        }
        let below = temporary.path("file/below")
        #expect(throws: SystemError(call: "mkdir", subject: below, errorNumber: ENOTDIR)) {
            try Directory.make(below)
        }
        #expect(throws: SystemError.self) { try directory.makeAndOpen("file") }
    }

    @Test("A listing has every name once, without the two dots")
    func lists() throws {
        #expect(try directory.list() == DirectoryListing())
        for name in ["one", "two", ".three", "é"] { try temporary.write([], to: name) }
        let listing = try directory.list()
        #expect(Set(listing.names) == ["one", "two", ".three", "é"])
        #expect(listing.names.count == 4)
        #expect(listing.isComplete)
        #expect(try directory.list() == listing)
    }

    @Test("A listing one by one tells files from all else")
    func listsOneByOne() throws {
        try temporary.write([], to: "file")
        try directory.make("directory")
        symlink("file", temporary.path("link"))
        #expect(mkfifo(temporary.path("fifo"), 0o600) == 0)
        var found: [String: Bool] = [:]
        try directory.forEachName { found[$0] = $1 }
        #expect(found == ["file": true, "directory": false, "link": false, "fifo": false])
    }

    @Test("A listing stops at its limit and says so", arguments: [0, 1, 3, 4, 5])
    func listsUpTo(limit: Int) throws {
        for name in ["1", "2", "3", "4"] { try temporary.write([], to: name) }
        let listing = try directory.list(limit: limit)
        #expect(listing.names.count == min(limit, 4))
        #expect(listing.isComplete == (limit >= 4))
    }

    @Test("A name that is not UTF-8 is counted and not listed")
    func undecodable() throws {
        let descriptor =
            "\(temporary.path)/".utf8CString.dropLast() + [CChar(truncatingIfNeeded: 0xFF), 0]
        close(Array(descriptor).withUnsafeBufferPointer { creat($0.baseAddress!, 0o600) })
        let listing = try directory.list()
        #expect(listing.names.isEmpty)
        #expect(listing.undecodableCount == 1)
    }

    @Test("Symbolic links are never followed")
    func refusesLinks() throws {
        try temporary.write([1], to: "file")
        try Directory.make(temporary.path("real"))
        symlink("file", temporary.path("link"))
        symlink("real", temporary.path("linked"))
        #expect(try directory.status(of: "link")?.kind == .symbolicLink)
        for open in [
            directory.openForReading, { try directory.openForWriting($0, creating: true) },
        ] {
            let error = #expect(throws: SystemError.self) { try open("link") }
            #expect(error?.isSymbolicLink == true)
        }
        #expect(throws: SystemError.self) { try directory.create("link") }
        let inner = #expect(throws: SystemError.self) { try directory.openDirectory("linked") }
        #expect(inner?.isNotADirectory == true)
        #expect(throws: SystemError.self) { try Directory(opening: temporary.path("linked")) }
    }

    @Test(
        "A name cannot lead out of its directory",
        arguments: ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b"])
    func refusesPaths(name: String) {
        #expect(throws: SystemError.self) { try directory.openForReading(name) }
        #expect(throws: SystemError.self) { try directory.create(name) }
        #expect(throws: SystemError.self) { try directory.status(of: name) }
        #expect(throws: SystemError.self) { try directory.remove(name) }
        #expect(throws: SystemError.self) { try directory.makeAndOpen(name) }
        #expect(throws: SystemError.self) { try directory.rename("x", to: directory, as: name) }
    }

    @Test("A file is created once, 0600, renamed into another directory and removed once")
    func files() throws {
        let file = try directory.create("new")
        try file.writeAll([1, 2, 3], at: 0)
        #expect(try directory.status(of: "new")?.permissions == 0o600)
        let error = #expect(throws: SystemError.self) { try directory.create("new") }
        #expect(error?.isAlreadyThere == true)
        let other = try directory.makeAndOpen("other")
        try directory.rename("new", to: other, as: "moved")
        #expect(try directory.status(of: "new") == nil)
        #expect(try other.openForReading("moved").readAll() == [1, 2, 3])
        #expect(try other.status(of: "moved")?.identity == file.fileStatus().identity)
        try directory.synchronize()
        #expect(try other.remove("moved") == true)
        #expect(try other.remove("moved") == false)
        #expect(try directory.removeDirectory("other") == true)
        #expect(try directory.removeDirectory("other") == false)
    }

    @Test("An open directory is the same one after its path was renamed")
    func renamed() throws {
        let inner = try directory.makeAndOpen("before")
        try directory.rename("before", to: directory, as: "after")
        _ = try inner.create("file")
        #expect(FileManager.default.fileExists(atPath: temporary.path("after/file")))
    }
}
