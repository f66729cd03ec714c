// SPDX-License-Identifier: Apache-2.0

/// Takes events. Code that makes events needs nothing else of the log.
public protocol EventRecorder: Sendable {
    /// Takes note of something that happened now. From any thread, not from a signal handler. It
    /// does not wait for the disk or the network.
    ///
    /// - Returns: false when the event was dropped; the log has counted it.
    @discardableResult
    func record(_ payload: EventPayload) -> Bool
}
