// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// A log file that the program writes line by line and that rolls itself, for daemons without
    /// logrotate(8). A `LogUploader` of the same directory sends what was rolled. docs/logs.md
    ///
    /// Rolling renames `app.log` to `app.log-20261121T031405Z` and goes on in a new `app.log`. No
    /// file is ever truncated, and none is replaced. Several of these, in one process or in many,
    /// may write the same file; another program may rename it.
    public final class RollingLog: Sendable {
        private let writer: ForkSafeMutex<RollingFile>
        private let log: @Sendable (String) -> Void

        private static let standardError = StandardErrorLine()

        /// Opens the file; creates it with mode 0640, less what the umask takes away.
        ///
        /// - Parameters:
        ///   - path: of the file. Its directory must exist. Must be a regular file, and no symbolic
        ///     link.
        ///   - log: receives each problem as one sentence, at most once an hour, on the thread that
        ///     met it. Nil writes a line to standard error, unless that could block.
        /// - Throws: if it cannot be opened for writing.
        public init(
            _ path: String, options: RollingLogOptions = RollingLogOptions(),
            log: (@Sendable (String) -> Void)? = nil
        ) throws(SystemError) {
            writer = ForkSafeMutex(try RollingFile(path, options))
            self.log = log ?? { Self.standardError.write("epitaph: \($0)") }
        }

        /// Adds a line. From any thread, but from no signal handler; a forked child that goes on
        /// without exec makes one of its own.
        ///
        /// - Parameters:
        ///   - message: in the form `plain` the line itself.
        ///   - level: only in the form `json`, like the tag and the metadata.
        /// - Returns: whether it was written; `problem` says why not.
        @discardableResult
        public func append(
            _ message: String, _ level: Level = .info, tag: String = "",
            metadata: [String: Value] = [:]
        ) -> Bool {
            let draft = LogDraft(message, level, tag: tag, metadata: metadata)
            return saying { $0.append(draft) }
        }

        /// Rolls now, if there is anything in the file. Returns whether it was rolled.
        @discardableResult
        public func roll() -> Bool { saying { $0.roll() } }

        /// The sentence is said without the lock: the program may log it here.
        private func saying(_ work: (inout RollingFile) -> Bool) -> Bool {
            let (isDone, sentence) = writer.withLock { (work(&$0), $0.takeSentence()) }
            if let sentence { log(sentence) }
            return isDone
        }

        /// Why the last line was not written, or the file not rolled or created again; nil if all is
        /// well.
        public var problem: String? { writer.withLock { $0.problem } }
    }

    /// Options of a `RollingLog`.
    public struct RollingLogOptions: Sendable, Equatable {
        /// What a line looks like.
        public enum Form: Sendable, Equatable {
            /// The message alone: the program has its own form.
            case plain
            /// `{"level":"info","message":"…","metadata":{…},"tag":"…","timestamp":"…Z"}`, for
            /// servers that take the time from the line. Empty parts are left out.
            case json
        }

        public var form = Form.plain
        /// A line that would make the file larger goes to a new one, in bytes; 0 for no limit.
        public var sizeLimitBytes = 64 << 20
        /// How long after the file was made the next line goes to a new one; 0 for no limit.
        public var ageLimit = Duration.seconds(86_400)
        /// How many rolled files stay; the oldest are deleted. 0 for no limit.
        public var keptFiles = 14

        public init() {}
    }
}

/// A line before it has its form.
struct LogDraft {
    private let message: String
    private let level: Epitaph.Level
    private let tag: String
    private let metadata: [String: Epitaph.Value]

    init(
        _ message: String, _ level: Epitaph.Level, tag: String, metadata: [String: Epitaph.Value]
    ) {
        self.message = message
        self.level = level
        self.tag = tag
        self.metadata = metadata
    }

    /// With its line break.
    func line(_ form: RollingLogOptions.Form, at time: Timestamp) -> [UInt8] {
        let bytes = form == .json ? (try? json(at: time).bytes()) : nil
        return (bytes ?? Array(message.utf8)) + [0x0a]
    }

    private func json(at time: Timestamp) -> JSONValue {
        var fields: [String: JSONValue] = [
            "timestamp": .text(UTCTime.millisecondTimestamp(time)), "level": .text("\(level)"),
            "message": .text(message),
        ]
        if !tag.isEmpty { fields["tag"] = .text(tag) }
        if !metadata.isEmpty { fields["metadata"] = .object(metadata.mapValues(\.json)) }
        return .object(fields)
    }
}
