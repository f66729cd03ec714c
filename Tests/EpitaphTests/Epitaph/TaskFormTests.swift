// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@testable import Epitaph

/// Swift's tasks share few threads; what takes long must not take one of them.
@Suite struct TaskFormTests {
    private func run(_ mode: String) throws -> String {
        let directory = try TemporaryDirectory()
        let file = directory.path("large")
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        try #require(truncate(file, 40_000_000) == 0)
        let result = try Victim.facade.run(
            [mode, directory.path("db"), file], deadlineSeconds: 120)
        return result.standardOutput + result.standardError
    }

    @Test(
        "Other tasks run while reports are made, files attached and live dumps reported",
        arguments: ["process", "attach", "live"])
    func free(_ mode: String) throws {
        #expect(try run(mode) == "free\n")
    }

    @Test(
        "The forms that block do hold other tasks up: so they are not called in tasks",
        arguments: ["process-blocking", "attach-blocking", "live-blocking"])
    func heldUp(_ mode: String) throws {
        #expect(try run(mode) == "held up\n")
    }

    @Test("Work that is waited for by a cancelled task hears of it, and is waited for")
    func cancellation() async {
        let hasBegun = Atomic(false)
        let heard = Atomic(false)
        let task = Task {
            await onOwnThread(orThrow: { fatalError("\($0)") }) { isCancelled in
                hasBegun.store(true, ordering: .releasing)
                // However late the task gets a turn to be cancelled.
                heard.store(
                    eventually(withinSeconds: 300) { isCancelled() }, ordering: .releasing)
                return 7
            }
        }
        while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
        task.cancel()
        #expect(await task.value == 7)
        let hasHeard = heard.load(ordering: .acquiring)
        #expect(hasHeard)
    }

    @Test("What was thrown on the other thread is thrown to the task")
    func thrown() async {
        await #expect(throws: Refusal.notStarted) {
            try await onOwnThread(orThrow: { _ in Refusal.notStarted }) {
                _ throws(Refusal) in throw .notStarted
            }
        }
    }
}
