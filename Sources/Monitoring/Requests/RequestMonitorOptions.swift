// SPDX-License-Identifier: Apache-2.0

/// What events of requests tell. By default no query, no header and no body. Values out of range
/// become the nearest that is in it.
public struct RequestMonitorOptions: Sendable, Equatable {
    /// How much of a URL is in an event. Never its user, password and fragment.
    public enum URLParts: Sendable, Equatable {
        /// Scheme, host and port.
        case server
        /// The path as well; parts of it that are long enough to be tokens are masked.
        case path
        /// The names of the query's parameters as well, their values masked.
        case queryNames
    }

    /// How much of a URL is in an event.
    public var urlParts = URLParts.path
    /// Names of headers that are in an event, whatever their capitals. The values of those that
    /// hold secrets are masked all the same.
    public var headers: Set<String> = []
    /// Further names of headers whose values are masked.
    public var secretHeaders: Set<String> = []
    /// Bytes of a request's and an answer's body that are in an event, 0 to 16,384; 0 for none.
    /// What is in a body is not looked at: it can be secret.
    public var bodyLimitBytes = 0 {
        didSet { bodyLimitBytes = min(max(bodyLimitBytes, 0), 16_384) }
    }
    /// Requests that become events in a second, 0 to 10,000; the rest is counted in the next one.
    public var eventsPerSecond = 50 {
        didSet { eventsPerSecond = min(max(eventsPerSecond, 0), 10_000) }
    }
    /// Frames of WebSockets that become events in a second, 0 to 10,000; the rest is counted in the
    /// next one.
    public var framesPerSecond = 20 {
        didSet { framesPerSecond = min(max(framesPerSecond, 0), 10_000) }
    }

    /// The values given above.
    public init() {}
}
