// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The symbol servers of a run, in the user's order. One that does not answer, stalls or sends
/// without end is not asked again, nor is a file of another build. docs/decisions/symbols.md
package final class SymbolServers: Sendable {
    package enum Reading<Value> {
        case accepted(Value)
        /// Not the requested file; the reason is a clause.
        case refused(String)
    }

    private struct State {
        var isGivenUp: [Bool]
        var notes: [String] = []
        var missing: Set<SymbolRequest> = []
        /// Waiting time left for this report, in seconds.
        var secondsLeft: Double
        var bytesLeft: Int
        var isImpossible = false
    }

    private let servers: [String]
    private let client: any SymbolClient
    private let limits: TransferLimits
    private let now: @Sendable () -> Double
    private let progress: @Sendable (String?) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - now: a monotonic clock, in seconds.
    ///   - progress: called with the current transfer several times a second, and with nil at the
    ///     end; from any thread.
    package init(
        _ servers: [String], client: any SymbolClient, limits: TransferLimits = TransferLimits(),
        now: @escaping @Sendable () -> Double,
        progress: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        self.servers = servers
        self.client = client
        self.limits = limits
        self.now = now
        self.progress = progress
        state = Mutex(
            State(
                isGivenUp: servers.map { _ in false }, secondsLeft: limits.report,
                bytesLeft: limits.mostBytesOfReport))
    }

    /// The URLs in DEBUGINFOD_URLS, without newer versions' marks such as `ima:enforcing`:
    /// debuginfod_find_debuginfo(3).
    package static func urls(in text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
            .filter { !$0.hasPrefix("ima:") }
    }

    package var notes: [String] {
        state.withLock(\.notes) + [client.noteOnCache].compactMap(\.self)
    }

    package func renewBudget() {
        state.withLock {
            $0.secondsLeft = limits.report
            $0.bytesLeft = limits.mostBytesOfReport
        }
    }

    package func file<Value>(
        _ request: SymbolRequest, read: (FetchedFile) -> Reading<Value>
    ) -> Value? {
        state.withLock { state -> Value? in
            guard !state.isImpossible, !state.missing.contains(request) else { return nil }
            guard state.secondsLeft > 0, state.bytesLeft > 0 else {
                noteEnd(&state)
                return nil
            }
            defer { progress(nil) }
            var isMarkedMissing = false
            for index in servers.indices where !state.isGivenUp[index] {
                let server = servers[index]
                if isMarkedMissing { client.forgetMiss() }
                isMarkedMissing = false
                let (answer, end) = fetch(request, from: server, &state)
                switch answer {
                case .file(let file):
                    switch read(file) {
                    case .accepted(let value): return value
                    case .refused(let why):
                        client.discard(file)
                        let origin = file.isNew ? server : "the cache of debuginfod"
                        state.notes.append("\(origin) has another file as \(request.words): \(why)")
                        if !file.isNew {
                            state.notes[state.notes.count - 1] += "; it is \(file.path)"
                        }
                    }
                case .unknown: isMarkedMissing = true
                case .unknownToAll:
                    state.missing.insert(request)
                    return nil
                case .tooLarge: ended(.isTooLarge, request, index, &state)
                case .stopped:
                    ended(end, request, index, &state)
                    if end == .reportIsOver { return nil }
                case .failed(let reason): giveUp(index, reason, &state)
                case .impossible(let reason):
                    state.isImpossible = true
                    state.notes.append("no symbol server was asked: \(reason)")
                    return nil
                }
            }
            if isMarkedMissing, state.isGivenUp.contains(true) { client.forgetMiss() }
            state.missing.insert(request)
            return nil
        }
    }

    private func fetch(
        _ request: SymbolRequest, from server: String, _ state: inout State
    ) -> (SymbolAnswer, TransferWatch.End?) {
        let start = now()
        let watch = TransferWatch(
            limits, start: start, reportEnd: start + state.secondsLeft, bytesLeft: state.bytesLeft)
        let now = now
        let progress = progress
        let answer = client.fetch(request, from: server) { received, total in
            progress(Self.line(request, received, total))
            return watch.goesOn(at: now(), received: received, total: total)
        }
        state.bytesLeft -= watch.received
        state.secondsLeft -= max(now() - start, 0)
        return (answer, watch.end)
    }

    private func ended(
        _ end: TransferWatch.End?, _ request: SymbolRequest, _ index: Int, _ state: inout State
    ) {
        switch end {
        case .silent, nil:
            giveUp(index, "it sent nothing for \(Int(limits.stall)) s", &state)
        case .stalled:
            let least = Self.amount(TransferLimits.leastBytes)
            giveUp(index, "it sent less than \(least) in \(Int(limits.stall)) s", &state)
        case .tookTooLong:
            giveUp(index, "\(request.words) took more than \(Int(limits.file)) s", &state)
        case .sentTooMuch:
            let most = Self.amount(limits.mostBytes)
            giveUp(index, "it sent more than \(most) for \(request.words)", &state)
        case .isTooLarge:
            state.notes.append(
                "\(request.words) was not fetched from \(servers[index]): it has more than "
                    + Self.amount(limits.mostBytes))
        case .reportIsOver:
            state.secondsLeft = 0
            noteEnd(&state)
        }
    }

    private func noteEnd(_ state: inout State) {
        let most = Self.amount(limits.mostBytesOfReport)
        let note =
            "symbol servers were not asked any more: a report waits for \(Int(limits.report)) s "
            + "and \(most) of files"
        if !state.notes.contains(note) { state.notes.append(note) }
    }

    private func giveUp(_ index: Int, _ reason: String, _ state: inout State) {
        state.isGivenUp[index] = true
        state.notes.append("\(servers[index]) was not asked any more: \(reason)")
    }

    private static func line(_ request: SymbolRequest, _ received: Int?, _ total: Int?) -> String {
        guard let received else { return "asking for \(request.module)" }
        let whole = total.map { " of \(amount($0))" } ?? ""
        return "fetching \(request.module): \(amount(received))\(whole)"
    }

    private static func amount(_ bytes: Int) -> String {
        bytes >= 10 << 30 || bytes % (1 << 30) == 0 && bytes > 0
            ? "\(bytes >> 30) GiB"
            : bytes >= 10 << 20 || bytes % (1 << 20) == 0 && bytes > 0
                ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
    }
}
