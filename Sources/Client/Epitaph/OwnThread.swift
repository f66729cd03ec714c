// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

private final class Cancellation: Sendable {
    private let isSet = Atomic(false)

    var isCancelled: Bool { isSet.load(ordering: .acquiring) }

    func cancel() { isSet.store(true, ordering: .releasing) }
}

/// Runs blocking work on a separate thread: Swift's tasks share one thread per processor, so a
/// blocked one is missing for all tasks.
///
/// - Parameters:
///   - noThread: makes the error to throw if no thread can be created.
///   - body: can check whether the task was cancelled. It always runs to its end.
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
