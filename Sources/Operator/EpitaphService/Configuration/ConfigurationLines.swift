// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What is wrong in the service's configuration, or dangerous.
package struct ServiceProblem: Error, Sendable, Equatable, CustomStringConvertible {
    package let place: Place
    /// Without the value, which may be secret.
    package let sentence: String
    /// Whether the configuration can still be used.
    package let isWarning: Bool

    package struct Place: Sendable, Equatable, CustomStringConvertible {
        package let file: String
        /// From 1 on; nil for the file as a whole.
        package let line: Int?

        package init(file: String, line: Int? = nil) {
            self.file = file
            self.line = line
        }

        /// `FILE:LINE`, as compilers write it.
        package var description: String { line.map { "\(file):\($0)" } ?? file }
    }

    package init(_ place: Place, _ sentence: String, isWarning: Bool = false) {
        self.place = place
        self.sentence = sentence
        self.isWarning = isWarning
    }

    package var description: String {
        "\(place): \(isWarning ? "warning: " : "")\(sentence)"
    }
}

struct ConfigurationLine: Sendable, Equatable {
    enum Section: Sendable, Hashable {
        /// Before the first section.
        case head
        case databases(DatabasePattern)
        /// One whose first line is wrong: its settings are checked and apply to nothing.
        case unknown(line: Int?)
    }

    let place: ServiceProblem.Place
    let section: Section
    let key: String
    let value: String

    var pattern: DatabasePattern? {
        if case .databases(let pattern) = section { pattern } else { nil }
    }
}

struct ConfigurationLines {
    private(set) var lines: [ConfigurationLine] = []
    /// Of sections in their order, each once.
    private(set) var patterns: [DatabasePattern] = []
    private(set) var problems: [ServiceProblem] = []
    private var section = ConfigurationLine.Section.head

    mutating func add(_ bytes: [UInt8], of file: String) {
        section = .head
        for (index, line) in bytes.split(
            separator: 0x0a, omittingEmptySubsequences: false
        ).enumerated() {
            let place = ServiceProblem.Place(file: file, line: index + 1)
            do throws(ServiceProblem) {
                try add(line, at: place)
            } catch {
                problems.append(error)
            }
        }
    }

    private mutating func add(
        _ bytes: ArraySlice<UInt8>, at place: ServiceProblem.Place
    ) throws(ServiceProblem) {
        switch SettingLine(bytes) {
        case .nothing: return
        case .problem(let sentence): throw ServiceProblem(place, sentence)
        case .section(let words): try begin(words, at: place)
        case .setting(let key, let value):
            lines.append(
                ConfigurationLine(
                    place: place, section: section, key: Self.name(key), value: value))
        }
    }

    /// Hyphens in a key count as underscores, except in the name of an annotation.
    private static func name(_ key: String) -> String {
        key.hasPrefix("annotation.") ? key : key.replacing("-", with: "_")
    }

    private mutating func begin(
        _ words: String?, at place: ServiceProblem.Place
    ) throws(ServiceProblem) {
        section = .unknown(line: place.line)
        guard let words else {
            throw ServiceProblem(place, "a section is written [database NAME-OR-PATH]")
        }
        guard words.hasPrefix("database"), words.dropFirst(8).first?.isWhitespace == true else {
            throw ServiceProblem(
                place, "there is no such section; there is [database NAME-OR-PATH]")
        }
        guard let pattern = DatabasePattern(words.dropFirst(8).trimmed.unquoted) else {
            throw ServiceProblem(
                place,
                "a database is an absolute path, or the name of a directory in "
                    + "\(DatabasePattern.usualPlace); * stands for any characters, only in the last "
                    + "part of a path")
        }
        section = .databases(pattern)
        if !patterns.contains(pattern) { patterns.append(pattern) }
    }
}
