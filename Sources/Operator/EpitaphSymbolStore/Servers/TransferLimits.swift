// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How long a report waits for symbol servers, and for how much. These limits hold whatever the
/// environment says; it can only lower them.
package struct TransferLimits: Sendable {
    /// Seconds without a byte, and before the first one.
    package var stall = 30.0
    /// Seconds for one file.
    package var file = 300.0
    /// Seconds for all files of a report together.
    package var report = 600.0
    /// Bytes of one file. The debug information of the largest programs has less.
    package var mostBytes = 2 << 30
    /// Bytes of all files of a report together.
    package var mostBytesOfReport = 8 << 30

    package init() {}

    /// Those of debuginfod_find_debuginfo(3), "ENVIRONMENT", where they are lower: DEBUGINFOD_TIMEOUT and
    /// DEBUGINFOD_MAXTIME in seconds, DEBUGINFOD_MAXSIZE in bytes; 0 is none.
    ///
    /// - Parameter variable: the value of a variable of the environment.
    package init(variable: (String) -> String?) {
        func number(_ name: String) -> Int? {
            variable(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        stall = min(stall, number("DEBUGINFOD_TIMEOUT").map(Double.init) ?? stall)
        file = min(file, number("DEBUGINFOD_MAXTIME").map(Double.init) ?? file)
        mostBytes = min(mostBytes, number("DEBUGINFOD_MAXSIZE") ?? mostBytes)
    }
}

/// Watches one transfer.
final class TransferWatch: Sendable {
    /// Why a transfer was ended.
    enum End: Equatable {
        case stalled
        case tookTooLong
        /// The server said so before it sent the file.
        case isTooLarge
        /// It sent more than it may.
        case sentTooMuch
        /// The report's files together have used up what they may.
        case reportIsOver
    }

    private struct State {
        var lastReceived: Int?
        var lastChange: Double
        var end: End?
    }

    private let limits: TransferLimits
    private let start: Double
    /// The end for this report, on the same clock.
    private let reportEnd: Double
    private let bytesLeft: Int
    private let state: Mutex<State>

    init(_ limits: TransferLimits, start: Double, reportEnd: Double, bytesLeft: Int) {
        self.limits = limits
        self.start = start
        self.reportEnd = reportEnd
        self.bytesLeft = bytesLeft
        state = Mutex(State(lastChange: start))
    }

    /// Nil if it was not ended.
    var end: End? { state.withLock { $0.end } }

    /// What has arrived so far, in bytes.
    var received: Int { state.withLock { $0.lastReceived ?? 0 } }

    /// - Returns: whether the transfer may go on at this moment, in seconds.
    func goesOn(at now: Double, received: Int?, total: Int?) -> Bool {
        state.withLock { state in
            if received != state.lastReceived {
                state.lastReceived = received
                state.lastChange = now
            }
            state.end = state.end ?? end(at: now, state, received ?? 0, total)
            return state.end == nil
        }
    }

    private func end(at now: Double, _ state: State, _ received: Int, _ total: Int?) -> End? {
        if received > limits.mostBytes { return .sentTooMuch }
        if let total, total > limits.mostBytes { return .isTooLarge }
        if received > bytesLeft || now >= reportEnd { return .reportIsOver }
        if now - start >= limits.file { return .tookTooLong }
        return now - state.lastChange >= limits.stall ? .stalled : nil
    }
}
