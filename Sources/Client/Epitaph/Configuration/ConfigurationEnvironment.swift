// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphSystem
import EpitaphValues

extension Epitaph.Configuration {
    private static var fileVariable: String { "EPITAPH_CONFIG" }
    private static var prefix: String { "EPITAPH_" }
    private static var annotationPrefix: String { "EPITAPH_ANNOTATION_" }

    /// The configuration after an operator's changes: first those in the file named by
    /// `EPITAPH_CONFIG`, then those in variables such as `EPITAPH_BREADCRUMBS` and
    /// `EPITAPH_ANNOTATION_ver`. An empty variable changes nothing.
    ///
    /// - Returns: the configuration, and a problem for each unusable value.
    public func applying(
        environment variables: [String: String]
    ) -> (configuration: Epitaph.Configuration, problems: [Epitaph.SettingError]) {
        var result = self
        var problems: [SettingError] = []
        if let path = variables[Self.fileVariable], !path.isEmpty {
            (result, problems) = applying(fileAt: path)
        }
        for (variable, value) in variables.inKeyOrder {
            guard variable.hasPrefix(Self.prefix), variable != Self.fileVariable, !value.isEmpty,
                !Self.isOfOthers(variable.dropFirst(Self.prefix.count).lowercased())
            else { continue }
            if let sentence = result.set(variable: variable, to: value) {
                problems.append(
                    SettingError(sentence, in: variable))
            }
        }
        return (result, problems)
    }

    /// The preloaded library, which may share our file and environment, and dump-convert have keys
    /// of their own, which are ignored silently.
    static func isOfOthers(_ key: String) -> Bool {
        guard let row = epitaph_option_of_key(key) else { return false }
        return row.pointee.readers & EPITAPH_OPTION_FOR_CLIENT.rawValue == 0
    }

    private mutating func set(variable: String, to value: String) -> String? {
        if variable.hasPrefix(Self.annotationPrefix) {
            return annotate(String(variable.dropFirst(Self.annotationPrefix.count)), with: value)
        }
        guard let key = Self.keys.first(where: { $0.environmentName == variable }) else {
            return "there is no such variable; docs/configuration.md lists them all"
        }
        guard key.isRepeatable else { return set(key.name, to: value) }
        // Several paths are separated by colons, as in PATH.
        return value.split(separator: ":").compactMap { set(key.name, to: String($0)) }.first
    }

    func withEnvironment() -> (
        configuration: Epitaph.Configuration, problems: [SettingError]
    ) {
        guard heedsEnvironment else { return (self, []) }
        let variables = CurrentProcess.environmentVariables(beginningWith: Self.prefix)
        guard !variables.isEmpty else { return (self, []) }
        return applying(
            environment: Dictionary(
                variables.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Created at first use for the standard error of that moment.
    private static let standardError = StandardErrorLine()

    static let standardErrorLog: @Sendable (String) -> Void = { sentence in
        standardError.write("epitaph: \(sentence)")
    }
}
