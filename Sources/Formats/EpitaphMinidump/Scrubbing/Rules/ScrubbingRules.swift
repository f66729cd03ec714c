// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What may leave the machine, by default everything: docs/scrubbing.md.
    public struct ScrubbingRules: Sendable, Equatable {
        /// Which memory to keep. Raw values are used on the command line and in rules files.
        public enum Memory: String, Sendable, CaseIterable {
            /// Everything captured.
            case all
            /// All stacks, and machine code.
            case stacks
            /// The crashed thread's stack, and machine code.
            case crashingStack = "crashing-stack"
            case none
        }

        /// Annotations by name. Facts that we add (`ReportFacts`) are removed only if denied.
        public var annotations = KeyRules()
        /// Upload form values and names of attachments, as sent to the collector.
        public var form = KeyRules()
        public var memory = Memory.all
        /// Whether to replace words of kept memory unless they are small integers or addresses in
        /// known ranges. Vector and floating-point registers are removed too.
        public var sanitizesStacks = false
        public var removedParts: Set<ReportPart> = []
        public var hidesHomeDirectories = false
        /// Whether to keep unknown streams and bytes outside of all streams. They cannot be
        /// scrubbed, so by default they are removed as soon as anything is.
        public var keepsUnknown = false

        public init() {}

        public var keepsMinidump: Bool {
            annotations.keepsAll && memory == .all && !sanitizesStacks && removedParts.isEmpty
                && !hidesHomeDirectories
        }

        /// The allowed values of a form, and the sorted names of the removed ones.
        public func scrubbed(
            form values: [String: String]
        ) -> (values: [String: String], removedKeys: [String]) {
            var result = values.filter { keepsInForm($0.key) }
            if hidesHomeDirectories {
                for (key, value) in result { result[key] = HomeDirectories.hidden(in: value) }
            }
            return (result, values.keys.filter { !keepsInForm($0) }.sorted())
        }

        private func keepsInForm(_ name: String) -> Bool {
            !form.denies(name) && form.keeps(ReportFacts.formName(name))
        }

        func keepsAnnotation(written: String) -> Bool {
            !annotations.denies(written)
                && annotations.keeps(ReportFacts.name(written: written))
                && !(removedParts.contains(.messages)
                    && ReportFacts.isMessageName(ReportFacts.name(written: written)))
        }
    }
}
