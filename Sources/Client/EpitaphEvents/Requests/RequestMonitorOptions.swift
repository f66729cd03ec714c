// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What the events of requests contain. By default no query, no header and no body. Values out
    /// of range become the nearest valid value.
    public struct RequestMonitorOptions: Sendable, Equatable {
        /// How much of a URL is in an event. User, password and fragment never are.
        public enum URLParts: Sendable, Equatable {
            /// Scheme, host and port.
            case server
            /// Also the path; components that are long enough to be tokens are masked.
            case path
            /// Also the names of the query's parameters, with their values masked.
            case queryNames
        }

        /// How much of a URL is in an event.
        public var urlParts = URLParts.path
        /// Names of headers that are recorded, in any capitalisation. Values of headers that hold
        /// secrets are masked anyway.
        public var headers: Set<String> = []
        /// Names of further headers whose values are masked.
        public var secretHeaders: Set<String> = []
        /// How many bytes of the bodies of requests and answers are recorded, 0 to 16,384; 0 for
        /// none. Their content is not checked for secrets.
        public var bodyLimitBytes = 0 {
            didSet { bodyLimitBytes = min(max(bodyLimitBytes, 0), 16_384) }
        }
        /// How many requests may become events in one second, 0 to 10,000. The next event says how
        /// many were left out.
        public var eventsPerSecond = 50 {
            didSet { eventsPerSecond = min(max(eventsPerSecond, 0), 10_000) }
        }
        /// How many WebSocket frames may become events in one second, 0 to 10,000. The next event
        /// says how many were left out.
        public var framesPerSecond = 20 {
            didSet { framesPerSecond = min(max(framesPerSecond, 0), 10_000) }
        }

        /// Options with the defaults given above.
        public init() {}
    }
}
