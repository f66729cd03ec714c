// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Records the program's requests to other servers as events. The program reports when each
    /// starts and ends:
    ///
    ///     let request = monitor.start(method: "GET", url: "https://ledger.example.org/v1/entries")
    ///     …
    ///     request.finish(status: 200, responseBytes: 512)
    public final class RequestMonitor: Sendable {
        private let recorder: any EventRecorder
        private let clock: any StoppableClock
        private let masking: RequestMasking
        private let requests: Mutex<EventBudget>
        private let frames: Mutex<EventBudget>

        private static let nameLimitBytes = 64

        /// How many bytes of a body are recorded: `RequestMonitorOptions.bodyLimitBytes`.
        public var bodyLimitBytes: Int { masking.bodyLimitBytes }

        /// - Parameters:
        ///   - recorder: receives the events.
        ///   - options: what the events contain.
        ///   - clock: measures how long a request takes.
        package init(
            recorder: any EventRecorder, options: RequestMonitorOptions = RequestMonitorOptions(),
            clock: any StoppableClock
        ) {
            self.recorder = recorder
            self.clock = clock
            masking = RequestMasking(options)
            requests = Mutex(EventBudget(perSecond: options.eventsPerSecond))
            frames = Mutex(EventBudget(perSecond: options.framesPerSecond))
        }

        /// Reports that a request is being sent.
        ///
        /// - Parameters:
        ///   - method: for example `GET`.
        ///   - url: the options say how much of it is recorded.
        ///   - headers: only those named in the options are recorded.
        ///   - requestBytes: size of the body; nil if unknown.
        ///   - body: nothing of it is recorded unless the options say so.
        /// - Returns: call `finish`, `fail` or `cancel` on it when the request ends. If it is
        ///   released without any of them, the request is recorded as abandoned.
        public func start(
            method: String, url: String, headers: [String: String] = [:], requestBytes: Int? = nil,
            body: [UInt8]? = nil
        ) -> MonitoredRequest {
            var details = NetworkRequestDetails(
                method: method.cut(toBytes: Self.nameLimitBytes), url: masking.url(url),
                outcome: .abandoned, durationSeconds: 0)
            details.requestBytes = requestBytes ?? body?.count
            details.requestHeaders = masking.headers(headers)
            details.requestBody = masking.body(body)
            return MonitoredRequest(self, details, startTime: clock.monotonicSeconds())
        }

        /// Reports that a frame of a WebSocket was sent or received.
        ///
        /// - Parameters:
        ///   - connection: the program's own name for it, cut to 64 bytes.
        ///   - direction: whether it was sent or received.
        ///   - opcode: as in the frame, RFC 6455 5.2.
        ///   - payloadBytes: the size of its payload.
        public func frame(
            connection: String, direction: WebSocketFrameDetails.Direction, opcode: UInt8,
            payloadBytes: Int
        ) {
            let time = clock.monotonicSeconds()
            guard let leftOut = frames.withLock({ $0.spend(at: time) }) else { return }
            recorder.record(
                .webSocketFrame(
                    WebSocketFrameDetails(
                        connection: connection.cut(toBytes: Self.nameLimitBytes),
                        direction: direction, opcode: WebSocketFrameDetails.Opcode(opcode),
                        payloadBytes: payloadBytes, leftOutBefore: leftOut > 0 ? leftOut : nil)))
        }

        fileprivate func end(
            _ details: NetworkRequestDetails, _ startTime: Double, _ answer: Answer
        ) {
            let time = clock.monotonicSeconds()
            guard let leftOut = requests.withLock({ $0.spend(at: time) }) else { return }
            var details = details
            details.durationSeconds = max(time - startTime, 0)
            details.outcome = answer.outcome
            details.status = answer.status
            details.errorType = answer.errorType?.cut(toBytes: Self.nameLimitBytes)
            details.responseBytes = answer.bytes ?? answer.body?.count
            details.requestBytes = answer.requestBytes ?? details.requestBytes
            details.responseHeaders =
                answer.outcome == .answered ? masking.headers(answer.headers) : nil
            details.responseBody = masking.body(answer.body)
            if leftOut > 0 { details.leftOutBefore = leftOut }
            recorder.record(.networkRequest(details))
        }

        fileprivate struct Answer {
            var outcome: NetworkRequestDetails.Outcome
            var status: Int?
            var errorType: String?
            var bytes: Int?
            var requestBytes: Int?
            var headers: [String: String] = [:]
            var body: [UInt8]?
        }
    }
}

extension Epitaph {
    /// A request in progress. Only the first call that reports its end counts.
    public final class MonitoredRequest: Sendable {
        private let monitor: RequestMonitor
        private let details: NetworkRequestDetails
        private let startTime: Double
        private let isOver = Atomic(false)

        fileprivate init(
            _ monitor: RequestMonitor, _ details: NetworkRequestDetails, startTime: Double
        ) {
            self.monitor = monitor
            self.details = details
            self.startTime = startTime
        }

        deinit {
            end(RequestMonitor.Answer(outcome: .abandoned))
        }

        /// Reports that there is an answer, whatever its status.
        ///
        /// - Parameters:
        ///   - status: the HTTP status.
        ///   - responseBytes: size of the body; nil if unknown.
        ///   - requestBytes: size of the request's body if it became known only now; nil keeps what
        ///     was reported at the start.
        ///   - headers: only those named in the options are recorded.
        ///   - body: nothing of it is recorded unless the options say so.
        public func finish(
            status: Int, responseBytes: Int? = nil, requestBytes: Int? = nil,
            headers: [String: String] = [:], body: [UInt8]? = nil
        ) {
            end(
                RequestMonitor.Answer(
                    outcome: .answered, status: status, bytes: responseBytes,
                    requestBytes: requestBytes, headers: headers, body: body))
        }

        /// Reports that there is no answer.
        ///
        /// - Parameter error: only its type is recorded, because its message may be secret.
        public func fail(_ error: any Error) {
            fail(type: "\(type(of: error))")
        }

        /// Reports that there is no answer.
        ///
        /// - Parameter type: what kind of failure it was, for example `timedOut`.
        public func fail(type: String) {
            end(RequestMonitor.Answer(outcome: .failed, errorType: type))
        }

        /// Reports that the program no longer waits for the answer.
        public func cancel() {
            end(RequestMonitor.Answer(outcome: .cancelled))
        }

        /// Reports that nothing was sent after all, for example because a cache had the answer.
        /// There is no event.
        public func discard() {
            isOver.store(true, ordering: .releasing)
        }

        private func end(_ answer: RequestMonitor.Answer) {
            guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
            monitor.end(details, startTime, answer)
        }
    }
}

extension WebSocketFrameDetails.Opcode {
    /// RFC 6455 11.8
    public init(_ number: UInt8) {
        self =
            switch number & 0xf {
            case 0x0: .continuation
            case 0x1: .text
            case 0x2: .binary
            case 0x8: .close
            case 0x9: .ping
            case 0xa: .pong
            default: .reserved
            }
    }
}
