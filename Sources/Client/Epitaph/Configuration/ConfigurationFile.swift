// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph.Configuration {
    private static var fileLimit: Int { 1 << 20 }
    /// Further problems are only counted: a file of another kind has one in each line.
    private static var problemLimit: Int { 20 }

    /// The configuration after the changes in a file: lines of `key = value`, and comments that
    /// begin with `#`. docs/configuration.md lists the keys.
    ///
    /// - Returns: the configuration, and a problem for each unusable line.
    public func applying(
        fileAt path: String
    ) -> (configuration: Epitaph.Configuration, problems: [Epitaph.SettingError]) {
        func unreadable(_ reason: String) -> [SettingError] {
            [SettingError(reason, in: path)]
        }
        do throws(SystemError) {
            // A person chose the path, so it may be a symbolic link.
            let file = try FileDescriptor.openForReading(try realPath(of: path))
            guard try file.fileStatus().kind == .regular else {
                return (self, unreadable("it is not a regular file, and is not read"))
            }
            let bytes = try file.readAll(limit: Self.fileLimit + 1)
            guard bytes.count <= Self.fileLimit else {
                return (self, unreadable("it is larger than 1 MiB, and is not read"))
            }
            return applying(lines: bytes, of: path)
        } catch {
            return (self, unreadable("it cannot be read: \(error.reason)"))
        }
    }

    func applying(
        lines bytes: [UInt8], of path: String
    ) -> (configuration: Epitaph.Configuration, problems: [SettingError]) {
        var result = self
        var problems: [SettingError] = []
        var unlistedCount = 0
        var linesByKey: [String: Int] = [:]
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            func refuse(_ sentence: String) {
                guard problems.count < Self.problemLimit else { return unlistedCount += 1 }
                problems.append(
                    SettingError(sentence, in: path, line: index + 1))
            }
            let name: String
            let value: String
            switch SettingLine(line) {
            case .nothing: continue
            case .setting(let key, let text): (name, value) = (key, text)
            case .section:
                refuse("there are no sections")
                continue
            case .problem(let sentence):
                refuse(sentence)
                continue
            }
            if let problem = result.set(name, to: value) { refuse(problem) }
            if let earlier = linesByKey[name], !Self.isRepeatable(name) {
                refuse(
                    "\(name.prefix(80)) was given in line \(earlier) already; the last one counts")
            }
            linesByKey[name] = index + 1
        }
        if unlistedCount > 0 {
            problems.append(
                SettingError("it has \(unlistedCount) more problems like these", in: path))
        }
        return (result, problems)
    }

    private static func isRepeatable(_ name: String) -> Bool {
        settings.first { $0.name == name }?.isRepeatable ?? false
    }

    private static var annotationPrefix: String { "annotation." }

    private static let keyNames = settings.map(\.name) + [annotationPrefix + "NAME"]

    /// - Returns: why the value cannot be used; nil if it was applied.
    mutating func set(_ name: String, to value: String) -> String? {
        if name.hasPrefix(Self.annotationPrefix) {
            return annotate(String(name.dropFirst(Self.annotationPrefix.count)), with: value)
        }
        guard let key = Self.settings.first(where: { $0.name == name }) else {
            if Self.isOfOthers(name) { return nil }
            let name = String(name.prefix(80))
            return "there is no key \"\(name)\"" + otherNames(than: name, Self.keyNames)
        }
        return key.apply(value, &self) ? nil : "\(name) is \(key.values)"
    }

    mutating func annotate(_ name: String, with value: String) -> String? {
        guard (1...255).contains(name.utf8.count) else {
            return "an annotation's name has 1 to 255 bytes"
        }
        annotations[name] = value
        return nil
    }
}
