// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The service's settings from all its files: docs/service.md. With an error it is not used at all:
/// the service must not act by half of the operator's words. docs/decisions/configuration.md
package struct ServiceConfiguration: Sendable, Equatable {
    package private(set) var service = ServiceOptions()
    package private(set) var patterns: [DatabasePattern] = [.usual]
    package private(set) var problems: [ServiceProblem] = []
    private var databaseLines: [ConfigurationLine] = []
    private var servicePlaces: [String: ServiceProblem.Place] = [:]

    package init() {}

    /// - Parameter files: later ones take precedence.
    package init(_ files: [(path: String, bytes: [UInt8])]) {
        var lines = ConfigurationLines()
        for file in files { lines.add(file.bytes, of: file.path) }
        problems = lines.problems
        if !lines.patterns.isEmpty { patterns = lines.patterns }
        var seen: [String: ConfigurationLine] = [:]
        for line in lines.lines {
            if let sentence = take(line) { problems.append(ServiceProblem(line.place, sentence)) }
            let name = "\(line.section) \(line.key)"
            if let earlier = seen[name], earlier.place.file == line.place.file,
                let number = earlier.place.line
            {
                problems.append(
                    ServiceProblem(
                        line.place,
                        "\(line.key.prefix(80)) was given in line \(number) already"))
            }
            seen[name] = line
        }
        let order = files.map(\.path)
        problems.sort { first, second in
            let places = [first, second].map { problem in
                (order.firstIndex(of: problem.place.file) ?? 0, problem.place.line ?? 0)
            }
            return places[0] < places[1]
        }
    }

    package var hasErrors: Bool { problems.contains { !$0.isWarning } }

    package mutating func add(_ problem: ServiceProblem) { problems.append(problem) }

    /// - Returns: why the line cannot be used; nil if it was taken.
    private mutating func take(_ line: ConfigurationLine) -> String? {
        if let key = SettingKey<ServiceOptions>.all.first(where: { $0.name == line.key }) {
            guard line.section == .head else {
                return "\(key.name) is a setting of the service and stands before the first section"
            }
            guard key.apply(line.value, &service) else { return "\(key.name) is \(key.values)" }
            servicePlaces[key.name] = line.place
            return nil
        }
        var scratch = WatchedOptions()
        if let sentence = Self.apply(line, to: &scratch) { return sentence }
        if case .unknown = line.section { return nil }
        databaseLines.append(line)
        return nil
    }

    private static let annotationPrefix = "annotation."

    private static func apply(
        _ line: ConfigurationLine, to options: inout WatchedOptions
    ) -> String? {
        if line.key.hasPrefix(annotationPrefix) {
            let name = String(line.key.dropFirst(annotationPrefix.count))
            guard (1...255).contains(name.utf8.count) else {
                return "an annotation's name has 1 to 255 bytes"
            }
            options.annotations[name] = line.value
            return nil
        }
        guard let key = SettingKey<WatchedOptions>.all.first(where: { $0.name == line.key }) else {
            let name = String(line.key.prefix(80))
            return "there is no key \"\(name)\"" + otherNames(than: name, names)
        }
        return key.apply(line.value, &options) ? nil : "\(key.name) is \(key.values)"
    }

    private static let names =
        SettingKey<ServiceOptions>.all.map(\.name) + SettingKey<WatchedOptions>.all.map(\.name)
        + [annotationPrefix + "NAME"]
}

extension ServiceConfiguration {
    /// The settings of the database at `path`, and where each was set. Precedence, from the lowest:
    /// before the first section, sections with patterns, the database's own.
    package func options(
        for path: String
    ) -> (options: WatchedOptions, places: [String: ServiceProblem.Place]) {
        var options = WatchedOptions()
        var places: [String: ServiceProblem.Place] = [:]
        let general = databaseLines.filter { $0.section == .head }
        let patterns = databaseLines.filter {
            $0.pattern?.isPattern == true && $0.pattern?.matches(path) == true
        }
        let own = databaseLines.filter {
            $0.pattern?.isPattern == false && $0.pattern?.matches(path) == true
        }
        for line in general + patterns + own {
            // Each was applied without an error before.
            _ = Self.apply(line, to: &options)
            places[line.key] = line.place
        }
        return (options, places)
    }

    package func place(ofService key: String) -> ServiceProblem.Place? { servicePlaces[key] }

    package func databases() -> (paths: [String], problems: [String]) {
        var paths: [String] = []
        var problems: [String] = []
        for pattern in patterns {
            do throws(SystemError) {
                let (found, skipped) = try pattern.paths()
                for path in found where !paths.contains(path) { paths.append(path) }
                problems += skipped
            } catch {
                problems.append("\(pattern.path) cannot be followed: \(error)")
            }
        }
        return (paths, problems)
    }

    package func names(_ path: String) -> Bool {
        patterns.contains { !$0.isPattern && $0.matches(path) }
    }
}
