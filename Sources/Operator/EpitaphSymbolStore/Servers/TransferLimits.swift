// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits of time and bytes for symbol servers. The environment can only lower them.
package struct TransferLimits: Sendable {
    /// A byte now and then is no progress: 2 KiB a second.
    package static let leastBytes = 64 << 10

    /// Seconds before the first byte, and for each `leastBytes` from then on.
    package var stall = 30.0
    /// Seconds for one file.
    package var file = 300.0
    /// Seconds for all files of a report.
    package var report = 600.0
    /// Bytes of one file. The debug information of the largest programs has less.
    package var mostBytes = 2 << 30
    package var mostBytesOfReport = 8 << 30

    package init() {}

    /// Lowers the limits by DEBUGINFOD_TIMEOUT, DEBUGINFOD_MAXTIME (seconds) and DEBUGINFOD_MAXSIZE
    /// (bytes): debuginfod_find_debuginfo(3), "ENVIRONMENT". 0 is no limit.
    package init(variable: (String) -> String?) {
        func number(_ name: String) -> Int? {
            variable(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        stall = min(stall, number("DEBUGINFOD_TIMEOUT").map(Double.init) ?? stall)
        file = min(file, number("DEBUGINFOD_MAXTIME").map(Double.init) ?? file)
        mostBytes = min(mostBytes, number("DEBUGINFOD_MAXSIZE") ?? mostBytes)
    }
}

final class TransferWatch: Sendable {
    enum End: Equatable {
        case silent
        case stalled
        case tookTooLong
        /// The server stated its size in advance.
        case isTooLarge
        case sentTooMuch
        case reportIsOver
    }

    private struct State {
        var received: Int?
        var mark: (received: Int?, time: Double)
        var end: End?
    }

    private let limits: TransferLimits
    private let start: Double
    private let reportEnd: Double
    private let bytesLeft: Int
    private let state: Mutex<State>

    init(_ limits: TransferLimits, start: Double, reportEnd: Double, bytesLeft: Int) {
        self.limits = limits
        self.start = start
        self.reportEnd = reportEnd
        self.bytesLeft = bytesLeft
        state = Mutex(State(mark: (nil, start)))
    }

    var end: End? { state.withLock { $0.end } }

    /// In bytes.
    var received: Int { state.withLock { $0.received ?? 0 } }

    /// Whether the transfer may go on; `now` is in seconds.
    func goesOn(at now: Double, received: Int?, total: Int?) -> Bool {
        state.withLock { state in
            state.received = received
            let least = state.mark.received.map { $0 + TransferLimits.leastBytes } ?? 0
            if let received, received >= least { state.mark = (received, now) }
            state.end = state.end ?? end(at: now, state, received ?? 0, total)
            return state.end == nil
        }
    }

    private func end(at now: Double, _ state: State, _ received: Int, _ total: Int?) -> End? {
        if received > limits.mostBytes { return .sentTooMuch }
        if let total, total > limits.mostBytes { return .isTooLarge }
        if received > bytesLeft || now >= reportEnd { return .reportIsOver }
        if now - start >= limits.file { return .tookTooLong }
        guard now - state.mark.time >= limits.stall else { return nil }
        return state.mark.received == nil ? .silent : .stalled
    }
}
