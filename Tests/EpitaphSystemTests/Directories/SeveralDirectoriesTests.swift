// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Glibc
import Testing

@testable import EpitaphSystem

@Suite("Waiting for something to happen in one of several directories")
struct SeveralDirectoriesTests {
    private let parent: TemporaryDirectory
    private let stopSignal: StopSignal

    init() throws {
        parent = try TemporaryDirectory()
        stopSignal = try StopSignal()
        for name in ["a", "b"] { mkdir(parent.path(name), 0o700) }
    }

    /// Long enough for any machine: a test that waits for this long has failed.
    private let long = 30.0

    private func watches(
        _ names: String..., hasQueues: Bool = true
    ) -> [DirectoryWatch] {
        var options = DirectoryWatch.Options()
        options.pollSeconds = 0.01
        return names.map { name in
            DirectoryWatch(parent.path(name), stopSignal: stopSignal, options: options) {
                () throws(SystemError) in
                guard hasQueues else {
                    throw SystemError(call: "inotify_init1", subject: "", errorNumber: EMFILE)
                }
                let queue = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
                return FileDescriptor(owning: queue, path: "inotify")
            }
        }
    }

    private func wait(_ watches: [DirectoryWatch], seconds: Double) -> DirectoryWatch.Reason {
        DirectoryWatch.wait(for: watches, stopSignal: stopSignal, seconds: seconds)
    }

    @Test("A change in any of them ends the wait, and none is told twice", arguments: ["a", "b"])
    func change(name: String) throws {
        let watches = watches("a", "b")
        #expect(wait(watches, seconds: 0) == .timedOut)
        try parent.write([1], to: name + "/file")
        #expect(wait(watches, seconds: long) == .changed)
        #expect(wait(watches, seconds: 0) == .timedOut)
    }

    @Test("One that is missing is waited for, while the others are watched")
    func missing() throws {
        let watches = watches("a", "later")
        #expect(wait(watches, seconds: 0.05) == .timedOut)
        try parent.write([1], to: "a/file")
        #expect(wait(watches, seconds: long) == .changed)
        mkdir(parent.path("later"), 0o700)
        #expect(wait(watches, seconds: long) == .changed)
        #expect(wait(watches, seconds: 0.05) == .timedOut)
    }

    @Test("Where the kernel has no watch left, a change is possible at any time")
    func polling() {
        let watches = watches("a", "b", hasQueues: false)
        #expect(watches.map(\.isPolling) == [true, true])
        #expect(wait(watches, seconds: long) == .changed)
    }

    @Test("A request to stop ends the wait")
    func stopped() {
        stopSignal.stop()
        #expect(wait(watches("a", "missing"), seconds: long) == .stopped)
    }
}
