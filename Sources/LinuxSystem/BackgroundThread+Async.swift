// SPDX-License-Identifier: Apache-2.0

extension BackgroundThread {
    /// Runs `body`, which may block, on a thread of its own, and waits for it without a thread.
    ///
    /// Swift's tasks share a pool of as many threads as there are processors, and one that blocks is
    /// taken from all of them. Cancelling the task does not end the wait; what can be broken off asks
    /// for that itself.
    ///
    /// - Parameter name: as for `start(_:_:)`.
    /// - Returns: what `body` returned or threw.
    /// - Throws: when no thread can be had; then `body` was not run.
    public static func run<Value: Sendable, Failure: Error>(
        _ name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(SystemError) -> Result<Value, Failure> {
        let outcome: Result<Result<Value, Failure>, SystemError> =
            await withCheckedContinuation { continuation in
                do throws(SystemError) {
                    try start(name) {
                        continuation.resume(returning: .success(Result(catching: body)))
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        return try outcome.get()
    }
}
