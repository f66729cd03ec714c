// SPDX-License-Identifier: Apache-2.0

/// The operator's settings, in a file because kernel.core_pattern has 128 bytes and no quoting.
package struct CoreHandlerSettings: Sendable, Equatable {
    /// Contains a database for each user, named by the user id.
    package var directory = "/var/lib/epitaph/users"
    /// The handler ends after this time, whatever it does.
    package var timeLimitSeconds = 60
    package var rate = CoreRate()
    package var keptCores: String?
    package var keptCoreMebibytes = 1_024
    /// For all kept cores; nil for a tenth of the file system.
    package var keptCoresMebibytes: Int?
    /// What kept cores leave free; nil for 15 % of the file system.
    package var keptCoresFreeMebibytes: Int?
    /// Command line of another handler that also gets each core, split at blanks; may be empty.
    package var next: [String] = []

    package init() {}

    /// Longer files are cut.
    package static let byteLimit = 1 << 16

    /// Reads lines of `name value`; `#` begins a comment. Returns the problems with lines, which
    /// then have no effect, as sentences without a full stop.
    package mutating func read(_ bytes: [UInt8]) -> [String] {
        var problems: [String] = []
        let text = String(decoding: bytes.prefix(Self.byteLimit), as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
                .map(String.init)
            guard let name = words.first else { continue }
            if let problem = set(name, Array(words.dropFirst())) {
                problems.append("line \(index + 1): \(problem)")
            }
        }
        return problems
    }

    /// Applies one setting. Returns why it has no effect; nil on success.
    package mutating func set(_ name: String, _ words: [String]) -> String? {
        let value = words.joined(separator: " ")
        switch name {
        case "directory": return setPath(\.directory, name, value)
        case "keep-core":
            guard value.hasPrefix("/") else { return "\(name) takes an absolute path" }
            keptCores = value
        case "then":
            guard words.first?.hasPrefix("/") == true else {
                return "then takes a command with an absolute path"
            }
            next = words
        case "time-limit": return setCount(\.timeLimitSeconds, name, value, 5...600)
        case "keep-core-limit": return setCount(\.keptCoreMebibytes, name, value, 1...1 << 20)
        case "keep-core-use": return setCount(\.keptCoresMebibytes, name, value, 1...1 << 30)
        case "keep-core-free":
            return setCount(\.keptCoresFreeMebibytes, name, value, 0...1 << 30)
        case "reports-per-program": return setCount(\.rate.perProgram, name, value, 1...10_000)
        case "reports": return setCount(\.rate.overall, name, value, 1...10_000)
        default: return "there is no setting \"\(name)\""
        }
        return nil
    }

    private mutating func setPath(
        _ path: WritableKeyPath<Self, String>, _ name: String, _ value: String
    ) -> String? {
        guard value.hasPrefix("/") else { return "\(name) takes an absolute path" }
        self[keyPath: path] = value
        return nil
    }

    private mutating func setCount(
        _ path: WritableKeyPath<Self, Int>, _ name: String, _ value: String,
        _ range: ClosedRange<Int>
    ) -> String? {
        var count: Int? = self[keyPath: path]
        let problem = Self.read(&count, name, value, range)
        self[keyPath: path] = count ?? self[keyPath: path]
        return problem
    }

    private mutating func setCount(
        _ path: WritableKeyPath<Self, Int?>, _ name: String, _ value: String,
        _ range: ClosedRange<Int>
    ) -> String? {
        Self.read(&self[keyPath: path], name, value, range)
    }

    private static func read(
        _ count: inout Int?, _ name: String, _ value: String,
        _ range: ClosedRange<Int>
    ) -> String? {
        guard let number = Int(value), range.contains(number) else {
            return "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)"
        }
        count = number
        return nil
    }
}
