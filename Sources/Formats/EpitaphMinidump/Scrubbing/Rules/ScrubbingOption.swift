// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The rules as options of a command line. Options add up; those of a rules file are given
    /// first.
    package enum ScrubbingOption: String, Sendable, CaseIterable {
        /// An annotation that may stay; all others are removed.
        case allowAnnotation = "--scrub-allow"
        /// An annotation that is removed.
        case denyAnnotation = "--scrub-deny"
        /// A key of the form that may stay; all others are removed.
        case allowFormKey = "--scrub-form-allow"
        /// A key of the form that is removed.
        case denyFormKey = "--scrub-form-deny"
        /// Which memory stays.
        case memory = "--scrub-memory"
        /// Stack words that are no addresses are removed.
        case stacks = "--scrub-stacks"
        /// A part of the report that is removed.
        case part = "--scrub-remove"
        /// User names in paths are replaced.
        case homeDirectories = "--scrub-home"
        /// Bytes of unknown meaning stay.
        case keepUnknown = "--scrub-keep-unknown"

        /// What the option's value is, in capitals; nil for one that has none.
        package var valueName: String? {
            switch self {
            case .allowAnnotation, .denyAnnotation, .allowFormKey, .denyFormKey: "KEY"
            case .memory: "WHAT"
            case .part: "PART"
            case .stacks, .homeDirectories, .keepUnknown: nil
            }
        }

        /// Whether the option may be given more than once.
        package var isRepeatable: Bool {
            switch self {
            case .allowAnnotation, .denyAnnotation, .allowFormKey, .denyFormKey, .part: true
            case .memory, .stacks, .homeDirectories, .keepUnknown: false
            }
        }

        /// What the option does, a sentence without a full stop.
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
    /// Adds what an option of the command line says.
    ///
    /// - Parameters:
    ///   - option: which one was given.
    ///   - value: ignored by options that have none.
    /// - Throws: when the value is empty where a key is expected, or is not one of the words that
    ///   the option takes.
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
