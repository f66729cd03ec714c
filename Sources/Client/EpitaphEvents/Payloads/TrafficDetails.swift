// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A request to another server. By default without bodies and with secrets masked.
    public struct NetworkRequestDetails: EventDetails {
        public enum Outcome: String, Sendable, Codable, CaseIterable {
            /// A response arrived, whatever its status.
            case answered
            /// No response arrived.
            case failed
            case cancelled
            /// The program did not report its end.
            case abandoned
        }

        public var method: String
        /// By default without user, password, query and fragment.
        public var url: String
        public var outcome: Outcome
        /// The HTTP status; nil without a response.
        public var status: Int?
        /// From start to end, in seconds.
        public var durationSeconds: Double
        /// Size of the request's body; nil if unknown.
        public var requestBytes: Int?
        /// Size of the response's body; nil if unknown.
        public var responseBytes: Int?
        /// The type of the error, for example `timedOut`.
        public var errorType: String?
        /// Chosen headers, secrets masked.
        public var requestHeaders: [String: String]?
        /// Chosen headers, secrets masked.
        public var responseHeaders: [String: String]?
        /// Start of the body, only if the program asked for it.
        public var requestBody: String?
        /// Start of the body, only if the program asked for it.
        public var responseBody: String?
        /// Requests left out before this one because of the limit per second.
        public var leftOutBefore: Int?

        public init(method: String, url: String, outcome: Outcome, durationSeconds: Double) {
            self.method = method
            self.url = url
            self.outcome = outcome
            self.durationSeconds = durationSeconds
        }

        public var byteCount: Int {
            method.utf8.count + url.utf8.count + (errorType?.utf8.count ?? 0)
                + (requestHeaders?.byteCount ?? 0) + (responseHeaders?.byteCount ?? 0)
                + (requestBody?.utf8.count ?? 0) + (responseBody?.utf8.count ?? 0)
        }
    }

    /// A frame of a WebSocket, RFC 6455 5.2. Its content is never recorded.
    public struct WebSocketFrameDetails: EventDetails {
        public enum Direction: String, Sendable, Codable, CaseIterable {
            case sent
            case received
        }

        /// RFC 6455 11.8
        public enum Opcode: String, Sendable, Codable, CaseIterable {
            /// 0x0
            case continuation
            /// 0x1
            case text
            /// 0x2
            case binary
            /// 0x8
            case close
            /// 0x9
            case ping
            /// 0xA
            case pong
            /// Any other opcode.
            case reserved
        }

        /// The program's name for the connection.
        public var connection: String
        public var direction: Direction
        public var opcode: Opcode
        public var payloadBytes: Int
        /// Frames left out before this one because of the limit per second.
        public var leftOutBefore: Int?

        public init(
            connection: String, direction: Direction, opcode: Opcode, payloadBytes: Int,
            leftOutBefore: Int? = nil
        ) {
            self.connection = connection
            self.direction = direction
            self.opcode = opcode
            self.payloadBytes = payloadBytes
            self.leftOutBefore = leftOutBefore
        }

        public var byteCount: Int { connection.utf8.count }
    }
}
