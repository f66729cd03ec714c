// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@testable import EpitaphSymbolStore

@Suite("The thread that fetches files")
struct ClientThreadTests {
    @Test(
        "keeps the rights it was started with while its caller has those of another user",
        .enabled(if: geteuid() == 0, "only root can take the rights of another user"))
    func rights() throws {
        let directory = try TemporaryDirectory()
        let thread = try ClientThread()
        let path = directory.path("made")
        let made = try FileSystemIdentity(userID: 65_534).during {
            thread.run { (try? FileDescriptor.create(path)) != nil }
        }
        #expect(made.get() == true)
        var status = stat()
        try #require(stat(path, &status) == 0)
        #expect(status.st_uid == 0)
    }

    @Test("asks again and again whether work may go on, and says when it may not")
    func stopped() throws {
        let thread = try ClientThread()
        let isToStop = Mutex(false)
        let shared = Shared(isToStop)
        let result = thread.run({ eventually { shared.isToStop.withLock { $0 } } }) {
            shared.isToStop.withLock { $0 = true }
            return false
        }
        #expect(result == true)
        #expect(thread.run { 7 } == 7)
    }

    private final class Shared: Sendable {
        let isToStop: Mutex<Bool>

        init(_ isToStop: consuming Mutex<Bool>) {
            self.isToStop = isToStop
        }
    }
}
