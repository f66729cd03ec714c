// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The program, session and user that something belongs to.
    public struct Context: Sendable, Equatable {
        public struct User: Sendable, Equatable, Codable {
            /// Preferably an id that means nothing outside of the program.
            public var id: String
            /// Personal data: leaves the program only if the options of the event log allow it.
            public var name: String?
            /// Personal data: leaves the program only if the options of the event log allow it.
            public var email: String?

            /// - Parameters:
            ///   - name: personal data, requires consent.
            ///   - email: personal data, requires consent.
            public init(id: String, name: String? = nil, email: String? = nil) {
                self.id = id
                self.name = name
                self.email = email
            }
        }

        public var sessionID: Epitaph.ID?
        /// A random id of this installation, unrelated to the hardware.
        public var deviceID: Epitaph.ID?
        public var user: User?
        public var program: String?
        public var version: String?
        /// For example `production`.
        public var environment: String?
        public private(set) var tags: [String: String] = [:]

        public static let tagLimit = 64
        /// Limit on a tag's name, in bytes.
        public static let tagNameLimitBytes = 64
        /// Limit on a tag's value and on every other text, in bytes. Longer ones are cut between
        /// characters and end with an ellipsis.
        public static let textLimitBytes = 256

        public init() {}

        /// Sets a tag. False if its name is empty or over 64 bytes, or with 64 other tags.
        @discardableResult
        public mutating func setTag(_ name: String, to value: String) -> Bool {
            guard !name.isEmpty, name.utf8.count <= Self.tagNameLimitBytes,
                tags[name] != nil || tags.count < Self.tagLimit
            else { return false }
            tags[name] = value.cut(toBytes: Self.textLimitBytes)
            return true
        }

        public mutating func removeTag(_ name: String) {
            tags[name] = nil
        }

        var withoutPersonalData: Context {
            var context = self
            context.user?.name = nil
            context.user?.email = nil
            return context
        }

        var bounded: Context {
            var context = self
            if let user {
                context.user = User(
                    id: user.id.cut(toBytes: Self.textLimitBytes),
                    name: user.name?.cut(toBytes: Self.textLimitBytes),
                    email: user.email?.cut(toBytes: Self.textLimitBytes))
            }
            context.program = program?.cut(toBytes: Self.textLimitBytes)
            context.version = version?.cut(toBytes: Self.textLimitBytes)
            context.environment = environment?.cut(toBytes: Self.textLimitBytes)
            return context
        }
    }
}

extension Context: Codable {
    private enum CodingKeys: String, CodingKey {
        case session, device, user, program, version, environment, tags
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(sessionID, forKey: .session)
        try container.encodeIfPresent(deviceID, forKey: .device)
        try container.encodeIfPresent(user, forKey: .user)
        try container.encodeIfPresent(program, forKey: .program)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encodeIfPresent(environment, forKey: .environment)
        if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sessionID = try container.decodeIfPresent(Epitaph.ID.self, forKey: .session)
        deviceID = try container.decodeIfPresent(Epitaph.ID.self, forKey: .device)
        user = try container.decodeIfPresent(User.self, forKey: .user)
        program = try container.decodeIfPresent(String.self, forKey: .program)
        version = try container.decodeIfPresent(String.self, forKey: .version)
        environment = try container.decodeIfPresent(String.self, forKey: .environment)
        tags = try container.decodeIfPresent([String: String].self, forKey: .tags) ?? [:]
    }
}

extension String {
    /// The text, cut between characters and marked with an ellipsis if too long.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // Scalars, not graphemes: a hostile text can be one grapheme of a megabyte.
        var end = utf8.index(utf8.startIndex, offsetBy: max(limit - 3, 0))
        while end > startIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}
