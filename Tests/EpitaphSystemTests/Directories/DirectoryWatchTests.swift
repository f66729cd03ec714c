// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Glibc
import Testing

@testable import EpitaphSystem

@Suite("Waiting for something to happen in a directory")
struct DirectoryWatchTests {
    private let parent: TemporaryDirectory
    private let path: String
    private let stopSignal: StopSignal

    init() throws {
        parent = try TemporaryDirectory()
        path = parent.path("logs")
        stopSignal = try StopSignal()
        try Directory.make(path)
    }

    /// Long enough for any machine: a test that waits for this long has failed.
    private let long = 30.0

    private func watch(
        pollSeconds: Double = 0.01,
        isInteresting: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> DirectoryWatch {
        DirectoryWatch(
            path, stopSignal: stopSignal, options: options(pollSeconds, isInteresting))
    }

    private func options(
        _ pollSeconds: Double, _ isInteresting: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> DirectoryWatch.Options {
        var options = DirectoryWatch.Options()
        options.pollSeconds = pollSeconds
        options.isInteresting = isInteresting
        return options
    }

    private func write(_ name: String, _ text: String = "x") throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    enum Happening: CaseIterable {
        case made, written, renamed, cameFromElsewhere, removed, left

        /// The files that exist before watching begins.
        func prepare(_ path: String) throws {
            try Data("a".utf8).write(to: URL(fileURLWithPath: path + "/old"))
            try Data("a".utf8).write(to: URL(fileURLWithPath: path + "/../outside"))
        }

        func happen(_ path: String) throws {
            switch self {
            case .made: close(open(path + "/new", O_RDONLY | O_CREAT, 0o600))
            case .written:
                let file = open(path + "/old", O_WRONLY)
                Glibc.write(file, "b", 1)
                close(file)
            case .renamed: rename(path + "/old", path + "/new")
            case .cameFromElsewhere: rename(path + "/../outside", path + "/new")
            case .removed: unlink(path + "/old")
            case .left: rename(path + "/old", path + "/../new")
            }
        }
    }

    @Test(
        "What happens to a name ends the wait, also when it happened before",
        arguments: Happening.allCases)
    func happenings(_ happening: Happening) throws {
        try happening.prepare(path)
        let watch = watch()
        #expect(watch.isWatching)
        #expect(watch.wait(seconds: 0) == .timedOut)
        try happening.happen(path)
        #expect(watch.wait(seconds: long) == .changed)
        #expect(watch.wait(seconds: 0) == .timedOut)
    }

    @Test("A wait that is under way ends, too")
    func wakesUp() throws {
        let watch = watch()
        let child = try Subprocess.spawn(["sh", "-c", "sleep 0.2; : > \"$0/new\"", path])
        #expect(watch.wait(seconds: long) == .changed)
        #expect(Subprocess.wait(for: child, deadlineSeconds: 20) == .exited(0))
    }

    @Test("Reading a file and writing without closing it are of no interest")
    func quietThings() throws {
        try write("old")
        let watch = watch()
        let file = open(path + "/old", O_WRONLY | O_APPEND)
        Glibc.write(file, "b", 1)
        #expect(FileManager.default.contents(atPath: path + "/old") == Data("xb".utf8))
        #expect(watch.wait(seconds: 0) == .timedOut)
        close(file)
        #expect(watch.wait(seconds: long) == .changed)
    }

    @Test("Names of no interest end no wait")
    func boringNames() throws {
        let watch = watch { $0.hasSuffix(".1") }
        try write("app.log")
        #expect(watch.wait(seconds: 0) == .timedOut)
        try write("app.log.1")
        #expect(watch.wait(seconds: long) == .changed)
    }

    @Test("When the kernel drops events because there are too many, something may have happened")
    func overflow() throws {
        let limit = try #require(
            Int(
                String(
                    decoding: try FileDescriptor.openForReading(
                        "/proc/sys/fs/inotify/max_queued_events"
                    ).readAll().prefix { $0 != 0x0A }, as: UTF8.self)))
        try write("0")
        let watch = watch { _ in false }
        // Two events each: from the old name, to the new one.
        for number in 0...limit / 2 {
            #expect(rename(path + "/\(number)", path + "/\(number + 1)") == 0)
        }
        #expect(watch.wait(seconds: long) == .changed)
        #expect(watch.wait(seconds: 0) == .timedOut)
    }

    @Test("A stop ends the wait that is under way and all later ones")
    func stops() throws {
        let watch = watch()
        let stopSignal = stopSignal
        try BackgroundThread.start("stopper") {
            usleep(50_000)
            stopSignal.stop()
        }
        #expect(watch.wait(seconds: long) == .stopped)
        try write("new")
        #expect(watch.wait(seconds: long) == .stopped)
    }

    @Test("A directory that is not there yet is waited for, and watched from then on")
    func missingDirectory() throws {
        #expect(rmdir(path) == 0)
        let watch = watch()
        #expect(!watch.isWatching)
        #expect(watch.wait(seconds: 0.05) == .timedOut)
        try Directory.make(path)
        #expect(watch.wait(seconds: long) == .changed)
        #expect(watch.isWatching)
        try write("new")
        #expect(watch.wait(seconds: long) == .changed)
    }

    @Test("A directory that is removed and made again is watched again")
    func remadeDirectory() throws {
        let watch = watch()
        #expect(rmdir(path) == 0)
        #expect(watch.wait(seconds: long) == .changed)
        try Directory.make(path)
        #expect(
            eventually {
                _ = watch.wait(seconds: 0.05)
                return watch.isWatching
            })
        while watch.wait(seconds: 0) == .changed {}
        try write("new")
        #expect(watch.wait(seconds: long) == .changed)
    }

    @Test("Another directory under the same path is watched in its place")
    func replacedDirectory() throws {
        let watch = watch()
        #expect(rename(path, parent.path("away")) == 0)
        try Directory.make(path)
        #expect(watch.wait(seconds: long) == .changed)
        while watch.wait(seconds: 0) == .changed {}
        try Data().write(to: URL(fileURLWithPath: parent.path("away/elsewhere")))
        #expect(watch.wait(seconds: 0) == .timedOut)
        try write("new")
        #expect(watch.wait(seconds: long) == .changed)
    }

    @Test("A symbolic link in place of the directory is not followed")
    func symbolicLink() throws {
        try Directory.make(parent.path("target"))
        #expect(rmdir(path) == 0)
        #expect(symlink(parent.path("target"), path) == 0)
        let watch = watch()
        try Data().write(to: URL(fileURLWithPath: parent.path("target/new")))
        #expect(watch.wait(seconds: 0.05) == .timedOut)
        #expect(!watch.isWatching)
    }

    @Test("Without inotify there may be something every few seconds", arguments: [EMFILE, ENOSYS])
    func polling(_ errorNumber: Int32) throws {
        let watch = DirectoryWatch(path, stopSignal: stopSignal, options: options(0.01)) {
            () throws(SystemError) in
            throw SystemError(call: "inotify_init1", subject: "inotify", errorNumber: errorNumber)
        }
        #expect(!watch.isWatching)
        #expect(watch.wait(seconds: long) == .changed)
        #expect(watch.wait(seconds: long) == .changed)
        stopSignal.stop()
        #expect(watch.wait(seconds: long) == .stopped)
    }

    @Test("inotify that is there again is used again")
    func recovers() throws {
        var isThere = false
        let watch = DirectoryWatch(path, stopSignal: stopSignal, options: options(0.01)) {
            () throws(SystemError) in
            guard isThere else {
                throw SystemError(call: "inotify_init1", subject: "inotify", errorNumber: EMFILE)
            }
            return FileDescriptor(owning: inotify_init1(Int32(IN_NONBLOCK)), path: "inotify")
        }
        #expect(watch.wait(seconds: long) == .changed)
        isThere = true
        #expect(watch.wait(seconds: long) == .changed)
        #expect(watch.isWatching)
        #expect(watch.wait(seconds: 0) == .timedOut)
    }
}
