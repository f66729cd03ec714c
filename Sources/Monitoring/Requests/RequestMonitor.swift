// SPDX-License-Identifier: Apache-2.0

import Events
import LinuxSystem
import Synchronization

/// Makes events of a program's requests to other servers. The program says when one starts and ends:
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

    /// - Parameters:
    ///   - recorder: takes the events.
    ///   - options: what they tell.
    ///   - clock: measures how long a request takes.
    public init(
        recorder: any EventRecorder, options: RequestMonitorOptions = RequestMonitorOptions(),
        clock: any StoppableClock
    ) {
        self.recorder = recorder
        self.clock = clock
        masking = RequestMasking(options)
        requests = Mutex(EventBudget(perSecond: options.eventsPerSecond))
        frames = Mutex(EventBudget(perSecond: options.framesPerSecond))
    }

    /// A request goes out now.
    ///
    /// - Parameters:
    ///   - method: for example `GET`.
    ///   - url: of which an event has what the options say.
    ///   - headers: of which an event has those that the options name.
    ///   - requestBytes: bytes of the body; nil if unknown.
    ///   - body: of which an event has as much as the options say, nothing by default.
    /// - Returns: on which to call `finish`, `fail` or `cancel` when the request ends. If it is
    ///   released without one of them, the request counts as abandoned.
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

    /// A frame of a WebSocket was sent or came in.
    ///
    /// - Parameters:
    ///   - connection: which one, a name of the program's own; at most 64 bytes are kept.
    ///   - direction: which way it went.
    ///   - opcode: as it is in the frame, RFC 6455 5.2.
    ///   - payloadBytes: how much was in it.
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

    fileprivate func end(_ details: NetworkRequestDetails, _ startTime: Double, _ answer: Answer) {
        let time = clock.monotonicSeconds()
        guard let leftOut = requests.withLock({ $0.spend(at: time) }) else { return }
        var details = details
        details.durationSeconds = max(time - startTime, 0)
        details.outcome = answer.outcome
        details.status = answer.status
        details.errorType = answer.errorType?.cut(toBytes: Self.nameLimitBytes)
        details.responseBytes = answer.bytes ?? answer.body?.count
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
        var headers: [String: String] = [:]
        var body: [UInt8]?
    }
}

/// A request that is under way. The first that is said of its end counts.
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

    /// There is an answer, whatever its status.
    ///
    /// - Parameters:
    ///   - status: of HTTP.
    ///   - responseBytes: bytes of the body; nil if unknown.
    ///   - headers: of which an event has those that the options name.
    ///   - body: of which an event has as much as the options say, nothing by default.
    public func finish(
        status: Int, responseBytes: Int? = nil, headers: [String: String] = [:],
        body: [UInt8]? = nil
    ) {
        end(
            RequestMonitor.Answer(
                outcome: .answered, status: status, bytes: responseBytes, headers: headers,
                body: body))
    }

    /// There is no answer.
    ///
    /// - Parameter error: its type alone is in the event: what it says can be secret.
    public func fail(_ error: any Error) {
        end(RequestMonitor.Answer(outcome: .failed, errorType: "\(type(of: error))"))
    }

    /// The program does not wait for the answer any more.
    public func cancel() {
        end(RequestMonitor.Answer(outcome: .cancelled))
    }

    private func end(_ answer: RequestMonitor.Answer) {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        monitor.end(details, startTime, answer)
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
