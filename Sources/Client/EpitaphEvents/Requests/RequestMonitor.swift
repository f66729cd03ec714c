// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Records the program's requests to other servers as events. The program reports start and end
    /// of each:
    ///
    ///     let request = monitor.start(method: "GET", url: "https://ledger.example.org/v1/entries")
    ///     …
    ///     request.finish(status: 200, responseBytes: 512)
    public final class RequestMonitor: Sendable {
        private let recorder: any EventRecorder
        private let clock: any StoppableClock
        private let masking: RequestMasking
        private let requests: ForkSafeMutex<EventBudget>
        private let frames: ForkSafeMutex<EventBudget>

        private static let nameLimitBytes = 64

        public var bodyLimitBytes: Int { masking.bodyLimitBytes }

        /// - Parameter clock: measures how long a request takes.
        package init(
            recorder: any EventRecorder, options: RequestMonitorOptions = RequestMonitorOptions(),
            clock: any StoppableClock
        ) {
            self.recorder = recorder
            self.clock = clock
            masking = RequestMasking(options)
            requests = ForkSafeMutex(EventBudget(perSecond: options.eventsPerSecond))
            frames = ForkSafeMutex(EventBudget(perSecond: options.framesPerSecond))
        }

        /// Reports the start of a request.
        ///
        /// - Parameters:
        ///   - method: for example `GET`.
        ///   - url: the options say how much of it is recorded.
        ///   - headers: only those named in the options are recorded.
        ///   - requestBytes: size of the body; nil if unknown.
        ///   - body: recorded only if the options say so.
        /// - Returns: call `finish`, `fail` or `cancel` on it. If it is released without, the
        ///   request is recorded as abandoned.
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

        /// Reports a WebSocket frame.
        ///
        /// - Parameters:
        ///   - connection: the program's name for it, cut to 64 bytes.
        ///   - opcode: RFC 6455 5.2.
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

    /// A request in progress. Only the first report of its end counts.
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

        /// Reports a response, whatever its status.
        ///
        /// - Parameters:
        ///   - responseBytes: size of the body; nil if unknown.
        ///   - requestBytes: size of the request's body if only known now; nil keeps the first
        ///     value.
        ///   - headers: only those named in the options are recorded.
        ///   - body: recorded only if the options say so.
        public func finish(
            status: Int, responseBytes: Int? = nil, requestBytes: Int? = nil,
            headers: [String: String] = [:], body: [UInt8]? = nil
        ) {
            end(
                RequestMonitor.Answer(
                    outcome: .answered, status: status, bytes: responseBytes,
                    requestBytes: requestBytes, headers: headers, body: body))
        }

        /// Reports that no response came. Records only the error's type; its message may be secret.
        public func fail(_ error: any Error) {
            fail(type: "\(type(of: error))")
        }

        /// Reports that no response came.
        ///
        /// - Parameter type: the kind of failure, for example `timedOut`.
        public func fail(type: String) {
            end(RequestMonitor.Answer(outcome: .failed, errorType: type))
        }

        /// Reports that the program no longer waits for the response.
        public func cancel() {
            end(RequestMonitor.Answer(outcome: .cancelled))
        }

        /// Records no event, for example because a cache had the response.
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
