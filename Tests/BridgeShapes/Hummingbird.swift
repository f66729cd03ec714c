// SPDX-License-Identifier: Apache-2.0
//
// What docs/bridges.md uses of Hummingbird 2 and of the types of HTTP that it exports, in the shape
// that their public API has.

public protocol MiddlewareProtocol<Input, Output, Context>: Sendable {
    associatedtype Input
    associatedtype Output
    associatedtype Context

    func handle(
        _ input: Input, context: Context, next: (Input, Context) async throws -> Output
    ) async throws -> Output
}

public protocol RouterMiddleware<Context>: MiddlewareProtocol
where Input == Request, Output == Response {}

public protocol RequestContext: Sendable {
    var id: String { get }
}

public struct HTTPRequest: Sendable {
    public struct Method: RawRepresentable, Sendable {
        public let rawValue: String
        public init?(rawValue: String) { self.rawValue = rawValue }
        private init(_ name: String) { rawValue = name }
        public static let get = Method("GET")
    }
}

public struct HTTPResponse: Sendable {
    public struct Status: Sendable, ExpressibleByIntegerLiteral {
        public let code: Int
        public init(integerLiteral code: Int) { self.code = code }
    }
}

public struct URI: Sendable {
    public let path: String
}

public struct Request: Sendable {
    public let uri: URI
    public let method: HTTPRequest.Method

    public init(method: HTTPRequest.Method, path: String) {
        self.method = method
        uri = URI(path: path)
    }
}

public struct Response: Sendable {
    public var status: HTTPResponse.Status
    public init(status: HTTPResponse.Status) { self.status = status }
}

public protocol HTTPResponseError: Error {
    var status: HTTPResponse.Status { get }
}
