// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// An invalid setting of a configuration, a destination, scrubbing rules or log rules.
    public struct SettingError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The file, option or variable, or a key in it; nil if the program passed the value.
        public let place: String?
        /// Line in the file, from 1; nil if unrelated to a line.
        public let line: Int?
        /// What is wrong and what would be valid. Never contains a possibly secret value.
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
