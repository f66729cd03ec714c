// SPDX-License-Identifier: Apache-2.0
//
// What docs/bridges.md uses of swift-log, in the shape that its public API has.

public protocol LogHandler: Sendable {
    var metadataProvider: Logger.MetadataProvider? { get set }
    func log(event: LogEvent)
    subscript(metadataKey key: String) -> Logger.Metadata.Value? { get set }
    var metadata: Logger.Metadata { get set }
    var logLevel: Logger.Level { get set }
}

extension LogHandler {
    public var metadataProvider: Logger.MetadataProvider? {
        get { nil }
        set {}
    }
}

public struct LogEvent: Sendable {
    public var level: Logger.Level
    public var message: Logger.Message
    public var error: (any Error)?
    public var metadata: Logger.Metadata?
    public var source: String
    public var file: String
    public var function: String
    public var line: UInt
}

public struct Logger: Sendable {
    public typealias Metadata = [String: MetadataValue]

    private var handler: any LogHandler

    public init(label: String) {
        handler = LoggingSystem.factory?(label, LoggingSystem.metadataProvider) ?? Silent()
    }

    public subscript(metadataKey key: String) -> Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    public func log(
        level: Level, _ message: @autoclosure () -> Message, error: (any Error)? = nil,
        metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) {
        guard level >= handler.logLevel else { return }
        handler.log(
            event: LogEvent(
                level: level, message: message(), error: error, metadata: metadata(),
                source: "", file: file, function: function, line: line))
    }
}

extension Logger {
    public enum Level: String, Sendable, CaseIterable, Comparable {
        case trace, debug, info, notice, warning, error, critical

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        public static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }
    }

    public struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
        CustomStringConvertible, Sendable
    {
        public let description: String
        public init(stringLiteral value: String) { description = value }
    }

    public enum MetadataValue: Sendable {
        case string(String)
        case stringConvertible(any CustomStringConvertible & Sendable)
        case dictionary(Metadata)
        case array([MetadataValue])
    }

    public struct MetadataProvider: Sendable {
        private let provide: @Sendable () -> Metadata

        public init(_ provide: @escaping @Sendable () -> Metadata) { self.provide = provide }
        public func get() -> Metadata { provide() }
    }
}

extension Logger.MetadataValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, CustomStringConvertible
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: Logger.MetadataValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, Logger.MetadataValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }

    public var description: String {
        switch self {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .dictionary(let values): values.mapValues(\.description).description
        case .array(let values): values.map(\.description).description
        }
    }
}

public enum LoggingSystem: Sendable {
    public typealias Factory = @Sendable (String, Logger.MetadataProvider?) -> any LogHandler

    nonisolated(unsafe) static var factory: Factory?
    nonisolated(unsafe) static var metadataProvider: Logger.MetadataProvider?

    public static func bootstrap(
        _ factory: @escaping Factory, metadataProvider: Logger.MetadataProvider?
    ) {
        self.factory = factory
        self.metadataProvider = metadataProvider
    }
}

public struct MultiplexLogHandler: LogHandler {
    private var handlers: [any LogHandler]

    public init(_ handlers: [any LogHandler]) { self.handlers = handlers }

    public var logLevel: Logger.Level {
        get { handlers.map(\.logLevel).min() ?? .info }
        set { for index in handlers.indices { handlers[index].logLevel = newValue } }
    }

    public var metadata: Logger.Metadata {
        get { handlers.first?.metadata ?? [:] }
        set { for index in handlers.indices { handlers[index].metadata = newValue } }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handlers.first?[metadataKey: key] }
        set { for index in handlers.indices { handlers[index][metadataKey: key] = newValue } }
    }

    public func log(event: LogEvent) {
        for handler in handlers where handler.logLevel <= event.level { handler.log(event: event) }
    }
}

/// Writes nothing.
struct Silent: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {}
}

public enum StreamLogHandler {
    public static func standardError(
        label: String, metadataProvider: Logger.MetadataProvider?
    ) -> some LogHandler { Silent() }
}
