// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// Epitaph starts once in a process, and suites run side by side: a test that starts it here is the
/// only one meanwhile.
///
/// It waits as a task and blocks no thread. Tests share as few threads as there are processors, and
/// the one that is to finish first may need one to go on.
struct StartsEpitaphHere: TestTrait, SuiteTrait, TestScoping {
    private static let isTaken = Mutex(false)
    private static let deadlineSeconds = 300.0

    struct Occupied: Error {}

    /// Of a suite it is a trait of each test.
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: () async throws -> Void
    ) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.deadlineSeconds * 4))
        while !Self.take() {
            guard ContinuousClock.now < deadline else { throw Occupied() }
            try await Task.sleep(for: .milliseconds(5))
        }
        defer { Self.isTaken.withLock { $0 = false } }
        try await function()
    }

    private static func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}

extension Trait where Self == StartsEpitaphHere {
    /// For tests that start Epitaph in the test process, and stop it before they end.
    static var startsEpitaphHere: Self { StartsEpitaphHere() }
}
