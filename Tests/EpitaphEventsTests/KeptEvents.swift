// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import Synchronization

/// Keeps what is recorded, in order.
final class KeptEvents: EventRecorder {
    private let kept = Mutex<[EventPayload]>([])

    func record(_ payload: EventPayload) -> Bool {
        kept.withLock { $0.append(payload) }
        return true
    }

    var all: [EventPayload] { kept.withLock { $0 } }

    var metrics: [MetricsDetails] {
        all.compactMap { if case .metrics(let details) = $0 { details } else { nil } }
    }

    var logs: [LogDetails] {
        all.compactMap { if case .log(let details) = $0 { details } else { nil } }
    }

    var requests: [NetworkRequestDetails] {
        all.compactMap { if case .networkRequest(let details) = $0 { details } else { nil } }
    }

    var frames: [WebSocketFrameDetails] {
        all.compactMap { if case .webSocketFrame(let details) = $0 { details } else { nil } }
    }

    var steps: [NavigationDetails] {
        all.compactMap { if case .navigation(let details) = $0 { details } else { nil } }
    }

    var started: [SessionStartDetails] {
        all.compactMap { if case .sessionStarted(let details) = $0 { details } else { nil } }
    }

    var errorFree: [ErrorFreeDetails] {
        all.compactMap { if case .errorFree(let details) = $0 { details } else { nil } }
    }

    var ended: [SessionEndDetails] {
        all.compactMap { if case .sessionEnded(let details) = $0 { details } else { nil } }
    }
}
