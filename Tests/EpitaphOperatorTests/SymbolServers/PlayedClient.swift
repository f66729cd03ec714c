// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore
import EpitaphSystem
import EpitaphTestSupport
import Synchronization

/// A client whose servers answer as the test says.
final class PlayedClient: SymbolClient {
    /// What a server sends, in steps of one second: bytes received, of how many.
    struct Transfer {
        var steps: [(received: Int?, total: Int?)] = []
        var answer: SymbolAnswer
    }

    private struct State {
        var asked: [String] = []
        var discarded: [String] = []
        var forgottenMisses = 0
    }

    private let state = Mutex(State())
    private let clock: TestClock
    private let answer: @Sendable (SymbolRequest, String) -> Transfer

    init(_ clock: TestClock, answer: @escaping @Sendable (SymbolRequest, String) -> Transfer) {
        self.clock = clock
        self.answer = answer
    }

    /// `server what`, in order.
    var asked: [String] { state.withLock(\.asked) }
    var discarded: [String] { state.withLock(\.discarded) }
    var forgottenMisses: Int { state.withLock(\.forgottenMisses) }
    var noteOnCache: String? { nil }

    func fetch(
        _ request: SymbolRequest, from server: String,
        goesOn: @escaping @Sendable (Int?, Int?) -> Bool
    ) -> SymbolAnswer {
        state.withLock { $0.asked.append("\(server) \(request.module)") }
        let transfer = answer(request, server)
        for step in transfer.steps {
            guard goesOn(step.received, step.total) else { return .stopped }
            clock.advance(bySeconds: 1)
        }
        return transfer.answer
    }

    func discard(_ file: FetchedFile) { state.withLock { $0.discarded.append(file.path) } }
    func forgetMiss() { state.withLock { $0.forgottenMisses += 1 } }
}
