// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Contents of request events; by default no query, header or body. Values are clamped.
    public struct RequestMonitorOptions: Sendable, Equatable {
        /// How much of a URL is recorded. User, password and fragment never are.
        public enum URLParts: Sendable, Equatable {
            /// Scheme, host and port.
            case server
            /// Also the path, with components long enough to be tokens masked.
            case path
            /// Also the names of query parameters, with their values masked.
            case queryNames
        }

        public var urlParts = URLParts.path
        /// Headers to record, in any case. Secret values are masked anyway.
        public var headers: Set<String> = []
        /// Further headers whose values are masked.
        public var secretHeaders: Set<String> = []
        /// Bytes of each body to record, 0 to 32,768; 0 for none; see also
        /// `EventLogOptions.eventLimitBytes`. Not searched for secrets.
        public var bodyLimitBytes = 0 {
            didSet { bodyLimitBytes = min(max(bodyLimitBytes, 0), 32_768) }
        }
        /// Request events per second, 0 to 10,000. The next event says how many were left out.
        public var eventsPerSecond = 50 {
            didSet { eventsPerSecond = min(max(eventsPerSecond, 0), 10_000) }
        }
        /// Frame events per second, 0 to 10,000. The next event says how many were left out.
        public var framesPerSecond = 20 {
            didSet { framesPerSecond = min(max(framesPerSecond, 0), 10_000) }
        }

        public init() {}
    }
}
