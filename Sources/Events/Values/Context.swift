// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Who and what a moment belongs to. A value: an event keeps the one of its time.
public struct Context: Sendable, Equatable {
    /// The user whose work the program does.
    public struct User: Sendable, Equatable, Codable {
        /// What tells this user from others; best one that means nothing outside the program.
        public var id: String
        /// Personal: leaves the program only where the options of the event log allow it.
        public var name: String?
        /// Personal: leaves the program only where the options of the event log allow it.
        public var email: String?

        /// - Parameters:
        ///   - id: what tells this user from others.
        ///   - name: personal; needs this person's consent.
        ///   - email: personal; needs this person's consent.
        public init(id: String, name: String? = nil, email: String? = nil) {
            self.id = id
            self.name = name
            self.email = email
        }
    }

    /// The running session; nil where there is none.
    public var sessionID: UUID?
    /// A random number of this installation, and of nothing else.
    public var deviceID: UUID?
    /// The user; nil where there is none.
    public var user: User?
    /// The name of the program.
    public var program: String?
    /// The version of the program.
    public var version: String?
    /// Where it runs, for example `production`.
    public var environment: String?
    /// Anything else, as names and values.
    public private(set) var tags: [String: String] = [:]

    /// Tags a context may have.
    public static let tagLimit = 64
    /// Bytes of a tag's name.
    public static let tagNameLimitBytes = 64
    /// Bytes of a tag's value, and of each other text; longer ones are cut before a character, and
    /// end with an ellipsis.
    public static let textLimitBytes = 256

    /// A context of which nothing is known.
    public init() {}

    /// Sets a tag.
    ///
    /// - Returns: false, and nothing is set, for a name that is empty or longer than 64 bytes, and
    ///   for a new one where there are 64.
    @discardableResult
    public mutating func setTag(_ name: String, to value: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= Self.tagNameLimitBytes,
            tags[name] != nil || tags.count < Self.tagLimit
        else { return false }
        tags[name] = value.cut(toBytes: Self.textLimitBytes)
        return true
    }

    /// Removes a tag; one that is not there is no error.
    public mutating func removeTag(_ name: String) {
        tags[name] = nil
    }

    /// The context without what is personal of the user.
    var withoutPersonalData: Context {
        var context = self
        context.user?.name = nil
        context.user?.email = nil
        return context
    }

    /// The context with no text longer than it may be.
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
        sessionID = try container.decodeIfPresent(UUID.self, forKey: .session)
        deviceID = try container.decodeIfPresent(UUID.self, forKey: .device)
        user = try container.decodeIfPresent(User.self, forKey: .user)
        program = try container.decodeIfPresent(String.self, forKey: .program)
        version = try container.decodeIfPresent(String.self, forKey: .version)
        environment = try container.decodeIfPresent(String.self, forKey: .environment)
        tags = try container.decodeIfPresent([String: String].self, forKey: .tags) ?? [:]
    }
}

extension String {
    /// The text, cut before a character and marked with an ellipsis if it is longer.
    public func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // Scalars and not graphemes: a hostile text can be one grapheme of a megabyte.
        var end = utf8.index(utf8.startIndex, offsetBy: max(limit - 3, 0))
        while end > startIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}
