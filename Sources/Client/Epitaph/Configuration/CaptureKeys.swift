// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphCapture
import EpitaphValues

// The keys that determine how a crash is captured follow from C's table of options.
extension Epitaph.Configuration {
    static let captureSettings: [Setting] = rows(of: EPITAPH_OPTION_START, EPITAPH_OPTION_KEY)
    static let limitSettings: [Setting] = rows(of: EPITAPH_OPTION_START_LIMIT, EPITAPH_OPTION_LIMIT)

    private static func rows(of groups: epitaph_option_group...) -> [Setting] {
        groups.flatMap(OptionRows.of).compactMap(Setting.init)
    }

    fileprivate subscript(row: OptionRow) -> UInt64? {
        get {
            row.pointee.group == EPITAPH_OPTION_KEY
                ? (isEnabled ? 1 : 0) : capture.number(of: row)
        }
        set {
            guard let newValue else { return }
            if row.pointee.group == EPITAPH_OPTION_KEY {
                isEnabled = newValue != 0
            } else {
                capture.set(newValue, of: row)
            }
        }
    }
}

extension SettingKey<Epitaph.Configuration> {
    /// Nil for a row that programs do not read, or whose form C does not know.
    fileprivate init?(_ row: OptionRow) {
        let isForPrograms = row.pointee.readers & EPITAPH_OPTION_FOR_CLIENT.rawValue != 0
        guard isForPrograms, let key = row.pointee.key, let meaning = row.pointee.meaning else {
            return nil
        }
        let form = NumberForm(row.pointee)
        let words = (String(cString: key), form.words, String(cString: meaning))
        switch row.pointee.kind {
        case EPITAPH_OPTION_SIGNALS: self = .signals(words, \.capture.signals, none: "default")
        case EPITAPH_OPTION_OPTIONAL_SIGNALS:
            self = .signals(words, \.capture.markedSignalsIfAny, none: "none")
        case EPITAPH_OPTION_NAMES:
            self.init(
                words.0, words.1, words.2,
                text: { $0.capture.environmentAllowList.joined(separator: " ") },
                apply: { text, configuration in
                    let names = text.split { $0 == " " || $0 == "," }
                    configuration.capture.environmentAllowList = names.map(String.init)
                    return true
                })
        case EPITAPH_OPTION_DIRECTORY:
            self.init(
                words.0, words.1, words.2, text: { $0.databasePath },
                apply: { text, configuration in
                    guard !text.isEmpty else { return false }
                    configuration.databasePath = text
                    return true
                })
        case EPITAPH_OPTION_OPTIONAL_DIRECTORY:
            self = .text(words.0, \.capture.crashDirectory, words.1, words.2) {
                $0.hasPrefix("/")
            }
        default:
            nonisolated(unsafe) let row = row
            self.init(
                words.0, words.1, words.2, text: { $0[row].map(form.text) ?? "" },
                apply: { text, configuration in
                    guard let number = form.number(in: text) else { return false }
                    configuration[row] = number
                    return true
                })
        }
    }

    private static func signals(
        _ words: (name: String, values: String, meaning: String), _ path: Path<[Signal]?>,
        none: String
    ) -> Self {
        Self(
            words.name, words.values, words.meaning,
            text: { $0[keyPath: path]?.map(\.description).joined(separator: " ") ?? none },
            apply: { text, configuration in
                let signals = text == none ? nil : signals(in: text)
                guard text == none || signals != nil else { return false }
                configuration[keyPath: path] = signals
                return true
            })
    }

    private static func signals(in text: String) -> [Signal]? {
        guard !text.utf8.contains(0) else { return nil }
        var numbers = [Int32](repeating: 0, count: 65)
        guard epitaph_option_read_signals(text, &numbers, numbers.count) else { return nil }
        return numbers.prefix(while: { $0 != 0 }).map { Signal(rawValue: $0) }
    }
}

extension CrashReporterOptions {
    fileprivate var markedSignalsIfAny: [Signal]? {
        get { markedSignals.isEmpty ? nil : markedSignals }
        set { markedSignals = newValue ?? [] }
    }
}
