// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What may leave the machine in a report. A new value keeps all; docs/scrubbing.md says what
    /// each rule does to the bytes.
    public struct ScrubbingRules: Sendable, Equatable {
        /// Which of the crashed process's memory stays in the minidump. Raw values are the words of
        /// the command line and of a rules file.
        public enum Memory: String, Sendable, CaseIterable {
            /// All that was captured.
            case all
            /// The threads' stacks, and machine code.
            case stacks
            /// The stack of the thread that crashed, and machine code.
            case crashingStack = "crashing-stack"
            /// Nothing.
            case none
        }

        /// Annotations the program set, by name. A few facts that Epitaph and Crashpad add
        /// themselves (`ReportFacts.names`) stay under an allow-list, and go when they are denied.
        public var annotations = KeyRules()
        /// Values of the upload form and names of attachments, as the collector gets them.
        public var form = KeyRules()
        /// Which memory stays.
        public var memory = Memory.all
        /// Whether words of the memory that stays are replaced unless they are small integers or
        /// addresses in known ranges. Registers of vectors and floating point go as well.
        public var sanitizesStacks = false
        /// Parts of the report that are removed.
        public var removedParts: Set<ReportPart> = []
        /// Whether home directories become `~` in all text, and unreadable in memory.
        public var hidesHomeDirectories = false
        /// Whether bytes of unknown meaning stay: unknown streams, and bytes outside all streams.
        /// Their contents cannot be scrubbed, so they go as soon as anything is.
        public var keepsUnknown = false

        /// Rules that keep everything.
        public init() {}

        /// True when a minidump leaves as it is, byte for byte.
        public var keepsMinidump: Bool {
            annotations.keepsAll && memory == .all && !sanitizesStacks && removedParts.isEmpty
                && !hidesHomeDirectories
        }

        /// Values of a form without those that must not leave.
        ///
        /// - Returns: what stays, and the names of what goes, sorted.
        public func scrubbed(
            form values: [String: String]
        ) -> (values: [String: String], removedKeys: [String]) {
            var result = values.filter { form.keeps($0.key) }
            if hidesHomeDirectories {
                for (key, value) in result { result[key] = HomeDirectories.hidden(in: value) }
            }
            return (result, values.keys.filter { !form.keeps($0) }.sorted())
        }
    }
}
