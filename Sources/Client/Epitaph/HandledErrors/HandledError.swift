// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// An error that the program handled, as it is in a report.
    public struct HandledError: Sendable, Equatable {
        /// The kind of error, for example `Ledger.Failure`. Reports of one kind from one place have
        /// the same signature.
        public var type: String
        /// What went wrong this time.
        public var message: String
        /// The domain of an error that has one besides its type, like Foundation's errors.
        public var domain: String?
        /// The code that belongs to `domain`.
        public var code: Int?
        /// The stack trace of another runtime; the report contains it unchanged.
        public var stackTrace: String?
        /// Properties that the program adds, sorted by name.
        public var properties: [String: String]
        /// Whether anything was too long and was cut.
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

        /// Creates an error. Each part is cut to its limit.
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
            let chosen = properties.inKeyOrder.prefix(Self.propertyLimit)
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

        /// Takes what Swift knows of any error: type, description, and domain if it has one.
        public init(_ error: any Error, properties: [String: String] = [:]) {
            let type = String(reflecting: Swift.type(of: error))
            // Every error has these: stdlib/public/core/ErrorType.swift. By default the domain is
            // the type and the code is the index of the case.
            let hasDomain = error._domain != type
            self.init(
                type: type, message: ErrorWords.of(error),
                domain: hasDomain ? error._domain : nil, code: hasDomain ? error._code : nil,
                properties: properties)
        }

        /// `type: message`, or the type alone.
        public var sentence: String { message.isEmpty ? type : "\(type): \(message)" }
    }

    /// An exception of another runtime in that runtime's words, for example of a script.
    public struct ExceptionModel: Sendable, Equatable {
        /// The name of the exception's class.
        public var type: String
        /// The message of the exception.
        public var message: String
        /// The stack trace of the runtime; nil if it has none.
        public var stackTrace: String?

        /// Creates an exception.
        public init(type: String, message: String, stackTrace: String? = nil) {
            self.type = type
            self.message = message
            self.stackTrace = stackTrace
        }
    }
}

extension String {
    /// The text, cut between characters to at most this many bytes.
    func cut(toUTF8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, String.Index(end, within: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
