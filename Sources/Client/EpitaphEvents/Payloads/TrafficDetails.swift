// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A request to another server. Bodies are left out and secrets masked, unless the program
    /// chose otherwise.
    public struct NetworkRequestDetails: EventDetails {
        /// How a request ended.
        public enum Outcome: String, Sendable, Codable, CaseIterable {
            /// There was an answer, whatever its status.
            case answered
            /// There was no answer.
            case failed
            /// The program cancelled it.
            case cancelled
            /// The program did not report how it ended.
            case abandoned
        }

        /// The method, for example `GET`.
        public var method: String
        /// The URL, without user, password, query and fragment unless the program chose otherwise.
        public var url: String
        /// How it ended.
        public var outcome: Outcome
        /// The HTTP status; nil if there was no answer.
        public var status: Int?
        /// From start to end, seconds.
        public var durationSeconds: Double
        /// Bytes of the request's body; nil if unknown.
        public var requestBytes: Int?
        /// Bytes of the answer's body; nil if unknown.
        public var responseBytes: Int?
        /// The type of the error, for example `timedOut`.
        public var errorType: String?
        /// Chosen headers of the request, secrets masked.
        public var requestHeaders: [String: String]?
        /// Chosen headers of the answer, secrets masked.
        public var responseHeaders: [String: String]?
        /// The start of the request's body; only if the program asked for it.
        public var requestBody: String?
        /// The start of the answer's body; only if the program asked for it.
        public var responseBody: String?
        /// How many requests before this one were left out, because there were too many in one
        /// second.
        public var leftOutBefore: Int?

        /// Creates the details of a request.
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
}

extension Epitaph {
    /// A frame of a WebSocket, RFC 6455 5.2. Its content is never recorded.
    public struct WebSocketFrameDetails: EventDetails {
        /// Which way it went.
        public enum Direction: String, Sendable, Codable, CaseIterable {
            /// From this program.
            case sent
            /// To this program.
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

        /// The program's own name for the connection.
        public var connection: String
        /// Which way it went.
        public var direction: Direction
        /// The kind of frame.
        public var opcode: Opcode
        /// Bytes of its payload.
        public var payloadBytes: Int
        /// How many frames before this one were left out, because there were too many in one
        /// second.
        public var leftOutBefore: Int?

        /// A frame with a payload of `payloadBytes` bytes.
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
