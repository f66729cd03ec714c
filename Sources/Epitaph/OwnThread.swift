// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Whether the task is cancelled that waits for the work, for the thread that does it.
private final class Cancellation: Sendable {
    private let isSet = Atomic(false)

    var isCancelled: Bool { isSet.load(ordering: .acquiring) }

    func cancel() { isSet.store(true, ordering: .releasing) }
}

/// Does on a thread of its own what blocks, and waits for it without a thread. Swift's tasks share a
/// pool of as many threads as there are processors: who blocks one takes it from all of them.
///
/// - Parameters:
///   - noThread: what to throw when there is none to be had.
///   - body: can ask whether the task was cancelled meanwhile. It is waited for in any case.
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
