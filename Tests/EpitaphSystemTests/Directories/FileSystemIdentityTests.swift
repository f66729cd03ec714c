// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@Suite(
    "Rights in another user's directory",
    .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
struct FileSystemIdentityTests {
    let temporary: TemporaryDirectory
    let directory: Directory

    init() throws {
        temporary = try TemporaryDirectory()
        chmod(temporary.path, 0o711)
        mkdir(temporary.path("theirs"), 0o700)
        try OtherUser.own(temporary.path("theirs"))
        directory = try Directory(opening: temporary.path("theirs")).withOwnersRights()
    }

    private func owner(_ name: String) -> UInt32? {
        var status = stat()
        return lstat(temporary.path(name), &status) == 0 ? status.st_uid : nil
    }

    @Test("What is made there is the owner's, and what is made elsewhere is root's")
    func making() throws {
        try directory.create("file").writeAll([1], at: 0)
        try directory.makeAndOpen("inner").create("file").writeAll([1], at: 0)
        try temporary.write([1], to: "mine")
        #expect(try OtherUser.foreign(below: temporary.path("theirs")) == [])
        #expect(owner("theirs/inner/file") == OtherUser.id)
        #expect(owner("mine") == 0)
    }

    @Test("What the owner may not open is not opened, not by root's groups either")
    func refused() throws {
        try temporary.write([1], to: "theirs/secret")
        for mode: mode_t in [0o600, 0o640] {
            chmod(temporary.path("theirs/secret"), mode)
            let error = #expect(throws: SystemError.self) {
                try directory.openForReading("secret")
            }
            #expect(error?.isNotPermitted == true)
        }
        mkdir(temporary.path("theirs/closed"), 0o700)
        #expect(throws: SystemError.self) { try directory.openDirectory("closed") }
        #expect(throws: SystemError.self) {
            try directory.rename("secret", to: Directory(opening: temporary.path), as: "stolen")
        }
    }

    @Test("Locks are had and processes are seen as ever meanwhile")
    func locks() throws {
        let file = try directory.create("file")
        #expect(try file.tryLocking(.exclusive))
        #expect(try RecordLock.tryLocking(file))
        let identity = try #require(directory.identity)
        let seen = try identity.during { (kill(1, 0), ProcFileSystem().state(of: getpid())) }.get()
        #expect(seen.0 == 0)
        if case .running = seen.1 {} else { Issue.record("\(seen.1)") }
    }

    @Test("Only the thread that works there has other rights, and has its own back afterwards")
    func oneThread() throws {
        let identity = try #require(directory.identity)
        // One that no other test works in.
        let bystander = Bystander()
        defer { bystander.end() }
        let (here, there) = try identity.during {
            (Self.filesystemUser(), Self.filesystemUser("/proc/self/task/\(bystander.id)/status"))
        }.get()
        #expect(here == "\(OtherUser.id)")
        #expect(there == "0")
        #expect(Self.filesystemUser() == "0")
        #expect(FileManager.default.contents(atPath: "/etc/shadow") != nil)
    }

    /// A thread that does nothing.
    private final class Bystander {
        let id: String
        private let ending = DispatchSemaphore(value: 0)

        init() {
            let name = Mutex("")
            let start = DispatchSemaphore(value: 0)
            Thread { [ending] in
                let link = "/proc/thread-self"
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
                name.withLock { $0 = path.map { ($0 as NSString).lastPathComponent } ?? "" }
                start.signal()
                ending.wait()
            }.start()
            start.wait()
            id = name.withLock { $0 }
        }

        func end() { ending.signal() }
    }

    /// The fourth number behind `Uid:`, proc_pid_status(5).
    private static func filesystemUser(_ path: String = "/proc/thread-self/status") -> String {
        let text = String(
            decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Uid:") } ?? ""
        return line.split(separator: "\t").last.map(String.init) ?? ""
    }

    @Test("The program may leave a core file and hears of its parent's death as before")
    func whatTheKernelForgets() throws {
        let signal = epitaph_parent_death_signal()
        #expect(epitaph_set_parent_death_signal(SIGURG) == 0)
        defer { epitaph_set_parent_death_signal(signal) }
        let identity = try #require(directory.identity)
        let inside = try identity.during { Self.mayLeaveCore() }.get()
        #expect(inside)
        #expect(Self.mayLeaveCore())
        #expect(epitaph_parent_death_signal() == SIGURG)
    }

    @Test("The program may leave a core file after many threads had other rights at once")
    func manyThreads() throws {
        let identity = try #require(directory.identity)
        let failures = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 where (try? identity.during {}.get()) == nil {
                failures.add(1, ordering: .relaxed)
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        #expect(Self.mayLeaveCore())
    }

    /// It is the whole process's: a test beside this one may have it changed for some
    /// microseconds. Once lost it would not come back.
    private static func mayLeaveCore() -> Bool { eventually { epitaph_dumpable() == 1 } }

    @Test("Nothing is exchanged in a directory of one's own")
    func own() throws {
        #expect(try Directory(opening: temporary.path).withOwnersRights().identity == nil)
    }

    @Test("A path through another user's link is not gone along; one through the owner's is")
    func links() throws {
        symlink(temporary.path("theirs"), temporary.path("link"))
        _ = try Directory(named: temporary.path("link"))
        lchown(temporary.path("link"), OtherUser.id, OtherUser.id)
        #expect(try Directory(named: temporary.path("link")).path == temporary.path("theirs"))
        lchown(temporary.path("link"), OtherUser.id + 1, OtherUser.id + 1)
        let error = #expect(throws: SystemError.self) {
            try Directory(named: temporary.path("link"))
        }
        #expect(error?.isNotPermitted == true)
        // To a directory of root's.
        mkdir(temporary.path("mine"), 0o700)
        symlink("mine", temporary.path("to-mine"))
        lchown(temporary.path("to-mine"), OtherUser.id, OtherUser.id)
        #expect(throws: SystemError.self) { try Directory(named: temporary.path("to-mine/.")) }
    }
}

@Suite("A directory that a person named")
struct NamedDirectoryTests {
    @Test("is gone to as the kernel goes, once")
    func path() throws {
        let temporary = try TemporaryDirectory()
        for name in ["a", "a/b", "c"] { mkdir(temporary.path(name), 0o700) }
        symlink("a/b", temporary.path("relative"))
        symlink(temporary.path("relative"), temporary.path("c/absolute"))
        symlink("loop", temporary.path("loop"))
        try temporary.write([1], to: "file")
        let real = try realPath(of: temporary.path("a/b"))
        for name in ["a/b", "a//b/", "a/./b", "c/../a/b", "relative", "c/absolute/../b"] {
            #expect(try Directory(named: temporary.path(name)).path == real, "\(name)")
        }
        #expect(try Directory(named: "/").path == "/")
        #expect(try Directory(named: ".").path == realPath(of: "."))
        for name in ["missing", "a/missing", "loop", "file", "file/x", ""] {
            let path = name.isEmpty ? "" : temporary.path(name)
            #expect(throws: SystemError.self, "\(name)") { try Directory(named: path) }
        }
    }
}
