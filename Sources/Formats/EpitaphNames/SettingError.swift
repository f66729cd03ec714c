// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// A setting that cannot be used: of a configuration, a destination, rules for scrubbing or for
    /// log lines.
    public struct SettingError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The file, the option or the environment variable, or the key in it; nil if the program
        /// passed the value itself.
        public let place: String?
        /// The line in the file, counted from 1; nil if it is about no line.
        public let line: Int?
        /// What is wrong and what would be valid. Never contains a value that may be secret.
        public let reason: String

        package init(_ reason: String, in place: String? = nil, line: Int? = nil) {
            self.place = place
            self.line = line
            self.reason = reason
        }

        /// `<place>, line <line>: <reason>`
        public var description: String {
            guard let place else { return reason }
            return line.map { "\(place), line \($0): \(reason)" } ?? "\(place): \(reason)"
        }
    }
}
