// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

/// Whether the task is cancelled that waits for the work, for the thread that does it.
private final class Cancellation: Sendable {
    private let isSet = Atomic(false)

    var isCancelled: Bool { isSet.load(ordering: .acquiring) }

    func cancel() { isSet.store(true, ordering: .releasing) }
}

/// Runs blocking work on a thread of its own, and waits for it without blocking a thread. Swift's
/// tasks share a pool of as many threads as there are processors: all tasks lose one that blocks.
///
/// - Parameters:
///   - noThread: makes the error to throw if no thread can be created.
///   - body: can check whether the task was cancelled meanwhile. It always runs to its end.
func onOwnThread<Value: Sendable, Failure: Error>(
    orThrow noThread: (SystemError) -> Failure,
    _ body:
        @escaping @Sendable (
            _ isCancelled: @escaping @Sendable () -> Bool
        ) throws(Failure) -> Value
) async throws(Failure) -> Value {
    let cancellation = Cancellation()
    let result: Result<Value, Failure> = await withTaskCancellationHandler {
        do throws(SystemError) {
            return try await BackgroundThread.run("epitaph-work") { () throws(Failure) in
                try body { cancellation.isCancelled }
            }
        } catch {
            return .failure(noThread(error))
        }
    } onCancel: {
        cancellation.cancel()
    }
    return try result.get()
}
