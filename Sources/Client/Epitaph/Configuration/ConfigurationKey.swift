// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph.Configuration {
    /// A setting that an operator can change in a file or in the environment.
    public struct Key: Sendable {
        let setting: SettingKey<Epitaph.Configuration>

        /// The name in a file, for example `breadcrumbs`.
        public var name: String { setting.name }
        /// The permitted values, in words that follow "is".
        public var values: String { setting.values }
        /// What the setting does, in a sentence.
        public var meaning: String { setting.meaning }
        /// Whether it may occur several times in a file; each occurrence adds a value.
        public var isRepeatable: Bool { setting.isRepeatable }
        /// The default value as text; empty if there is none.
        public var defaultText: String {
            setting.text(Epitaph.Configuration(databasePath: "", bundleID: ""))
        }

        /// The environment variable, for example `EPITAPH_BREADCRUMBS`.
        public var environmentName: String { "EPITAPH_" + name.uppercased() }
    }

    func differences(from other: Epitaph.Configuration) -> [String] {
        var names = Self.settings.filter { $0.text(self) != $0.text(other) }.map(\.name)
        if annotations != other.annotations { names.append("annotations") }
        return names
    }
}
