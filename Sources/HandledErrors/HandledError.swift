// SPDX-License-Identifier: Apache-2.0

/// An error that the program dealt with, as a report tells it.
public struct HandledError: Sendable, Equatable {
    /// What sort of error it is, for example `Ledger.Failure`: reports of one sort that come from
    /// one place have one signature.
    public var type: String
    /// What went wrong this time.
    public var message: String
    /// The domain and code of an error that has a domain besides its type, as Foundation's have.
    public var domain: String?
    /// See `domain`.
    public var code: Int?
    /// A stack in the words of another runtime; it goes into the report as it is.
    public var stackTrace: String?
    /// What the program adds, in the order of their names.
    public var properties: [String: String]
    /// Whether more was said than is kept.
    public private(set) var isCut = false

    /// Bytes of UTF-8 kept of a type and a domain.
    public static let typeLimitBytes = 256
    /// Bytes of UTF-8 kept of a message.
    public static let messageLimitBytes = 4_096
    /// Bytes of UTF-8 kept of a stack trace.
    public static let stackTraceLimitBytes = 16_384
    /// How many properties are kept.
    public static let propertyLimit = 64
    /// Bytes of UTF-8 kept of a property's name.
    public static let propertyNameLimitBytes = 255
    /// Bytes of UTF-8 kept of a property's value.
    public static let propertyValueLimitBytes = 1_024

    /// An error of these parts, each cut to what is kept of it.
    public init(
        type: String, message: String, domain: String? = nil, code: Int? = nil,
        stackTrace: String? = nil, properties: [String: String] = [:]
    ) {
        var isCut = false
        func cut(_ text: String, _ limit: Int) -> String {
            let short = text.cut(toUTF8Bytes: limit)
            isCut = isCut || short.utf8.count < text.utf8.count
            return short
        }
        self.type = cut(type.isEmpty ? "error" : type, Self.typeLimitBytes)
        self.message = cut(message, Self.messageLimitBytes)
        self.domain = domain.map { cut($0, Self.typeLimitBytes) }
        self.code = code
        self.stackTrace = stackTrace.map { cut($0, Self.stackTraceLimitBytes) }
        let chosen = properties.sorted { $0.key < $1.key }.prefix(Self.propertyLimit)
        isCut = isCut || chosen.count < properties.count
        self.properties = Dictionary(
            chosen.map {
                (
                    cut($0.key, Self.propertyNameLimitBytes),
                    cut($0.value, Self.propertyValueLimitBytes)
                )
            },
            uniquingKeysWith: { first, _ in first })
        self.isCut = isCut
    }

    /// What Swift knows of any error: its type, its description, and a domain of its own.
    public init(_ error: any Error, properties: [String: String] = [:]) {
        let type = String(reflecting: Swift.type(of: error))
        // What every error has: stdlib/public/core/ErrorType.swift. The domain of one that has no
        // other is its type, and then the code is the position of a case.
        let hasDomain = error._domain != type
        self.init(
            type: type, message: String(describing: error),
            domain: hasDomain ? error._domain : nil, code: hasDomain ? error._code : nil,
            properties: properties)
    }

    /// `type: message`, or the type alone.
    public var sentence: String { message.isEmpty ? type : "\(type): \(message)" }
}

/// An exception of another runtime in its own words, for example of a script the daemon runs.
public struct ExceptionModel: Sendable, Equatable {
    /// The name of the exception's class.
    public var type: String
    /// What it says.
    public var message: String
    /// The runtime's own stack trace; nil where it has none.
    public var stackTrace: String?

    /// An exception of these parts.
    public init(type: String, message: String, stackTrace: String? = nil) {
        self.type = type
        self.message = message
        self.stackTrace = stackTrace
    }
}

extension String {
    /// The text up to a character's end, with at most so many bytes.
    func cut(toUTF8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, String.Index(end, within: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
