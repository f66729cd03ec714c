// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Rules as command-line options. Options add up; those of a rules file come first.
    package enum ScrubbingOption: String, Sendable, CaseIterable {
        /// An annotation to keep; all others are removed.
        case allowAnnotation = "--scrub-allow"
        case denyAnnotation = "--scrub-deny"
        /// A form key to keep; all others are removed.
        case allowFormKey = "--scrub-form-allow"
        case denyFormKey = "--scrub-form-deny"
        case memory = "--scrub-memory"
        /// Stack words that are not addresses are removed.
        case stacks = "--scrub-stacks"
        case part = "--scrub-remove"
        case homeDirectories = "--scrub-home"
        case keepUnknown = "--scrub-keep-unknown"

        /// The value's placeholder, in capitals; nil for an option without a value.
        package var valueName: String? {
            switch self {
            case .allowAnnotation, .denyAnnotation, .allowFormKey, .denyFormKey: "KEY"
            case .memory: "WHAT"
            case .part: "PART"
            case .stacks, .homeDirectories, .keepUnknown: nil
            }
        }

        package var isRepeatable: Bool {
            switch self {
            case .allowAnnotation, .denyAnnotation, .allowFormKey, .denyFormKey, .part: true
            case .memory, .stacks, .homeDirectories, .keepUnknown: false
            }
        }

        package var abstract: String {
            switch self {
            case .allowAnnotation: "send annotations of this name alone; * stands for any letters"
            case .denyAnnotation:
                "do not send annotations of this name, even where they are allowed"
            case .allowFormKey: "send form values and attachments of this name alone"
            case .denyFormKey: "do not send form values and attachments of this name"
            case .memory: "send this much memory: \(SettingError.list(Self.memoryWords))"
            case .stacks:
                "replace words of memory that are neither small integers nor known addresses"
            case .part: "leave out \(SettingError.list(Self.partWords))"
            case .homeDirectories: "write ~ for home directories, and remove them from memory"
            case .keepUnknown:
                "keep parts of minidumps that are not understood while others are removed"
            }
        }

        static let memoryWords = ScrubbingRules.Memory.allCases.map(\.rawValue)
        static let partWords = ReportPart.allCases.map(\.rawValue).sorted()
    }
}

extension ScrubbingRules {
    /// Applies a command-line option; `value` is ignored by options without one. Throws if a key is
    /// empty or a word is not one of the option's.
    package mutating func apply(
        _ option: Epitaph.ScrubbingOption, value: String = ""
    ) throws(Epitaph.SettingError) {
        let place = option.rawValue
        switch option {
        case .allowAnnotation:
            annotations.allowed = (annotations.allowed ?? []) + [try Self.pattern(value, place)]
        case .denyAnnotation: annotations.denied.append(try Self.pattern(value, place))
        case .allowFormKey: form.allowed = (form.allowed ?? []) + [try Self.pattern(value, place)]
        case .denyFormKey: form.denied.append(try Self.pattern(value, place))
        case .memory: memory = try Self.memory(value, place)
        case .stacks: sanitizesStacks = true
        case .part: removedParts.insert(try Self.part(value, place))
        case .homeDirectories: hidesHomeDirectories = true
        case .keepUnknown: keepsUnknown = true
        }
    }

    static func pattern(_ text: String, _ place: String) throws(SettingError) -> KeyPattern {
        guard !text.isEmpty else {
            throw SettingError("a key is empty; write its name, or * for all keys", in: place)
        }
        return KeyPattern(text)
    }

    static func memory(_ word: String, _ place: String) throws(SettingError) -> Memory {
        guard let memory = Memory(rawValue: word) else {
            throw .unknown(word, at: place, choices: ScrubbingOption.memoryWords)
        }
        return memory
    }

    static func part(_ word: String, _ place: String) throws(SettingError) -> ReportPart {
        guard let part = ReportPart(rawValue: word) else {
            throw .unknown(word, at: place, choices: ScrubbingOption.partWords)
        }
        return part
    }
}
