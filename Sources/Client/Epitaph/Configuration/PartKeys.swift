// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import EpitaphUpload
import EpitaphValues

extension Epitaph.Configuration {
    static let partSettings: [Setting] = [
        .part("events", \.parts.events, EventLogOptions(), "whether events are kept"),
        Setting(
            "event_destination",
            "an http or https URL, otlp: with or without one, backtrace:UNIVERSE/TOKEN, or none",
            "where events are posted, if reports may be sent",
            text: { $0.parts.eventDestination?.server ?? "none" },
            apply: { text, configuration in
                guard text != "none" else {
                    configuration.parts.eventDestination = nil
                    return true
                }
                if text.hasPrefix("otlp:") {
                    let place = String(text.dropFirst(5))
                    guard let collector = try? OTLPEventDestination(place) else { return false }
                    configuration.parts.eventDestination = collector
                    return true
                }
                if text.hasPrefix("backtrace:") {
                    let parts = text.dropFirst(10).split(separator: "/").map(String.init)
                    guard parts.count == 2,
                        let server = try? BacktraceEventDestination(
                            universe: parts[0], token: parts[1])
                    else { return false }
                    configuration.parts.eventDestination = server
                    return true
                }
                guard let template = try? RequestTemplate(.post, url: text) else { return false }
                configuration.parts.eventDestination = TemplateEventDestination(template)
                return true
            }),
        Setting(
            "sessions", "yes, no, or a number of seconds from 1 to 86400 without activity",
            "whether sessions are recorded, and when one ends",
            text: {
                number(
                    $0.parts.sessions?.idleTime.inSeconds,
                    unlessSet: SessionOptions().idleTime.inSeconds)
            },
            apply: { text, configuration in
                apply(text, to: &configuration.parts.sessions, SessionOptions()) { options in
                    guard let seconds = Double(text), (1...86_400).contains(seconds) else {
                        return false
                    }
                    options.idleTime = .seconds(seconds)
                    return true
                }
            }),
        .part("metrics", \.parts.metrics, MetricsOptions(), "whether counters become events"),
        Setting(
            "hangs", "yes, no, or a number of milliseconds from 100 to 3600000",
            "whether hangs of the main queue are reported, and after how long",
            text: {
                number(
                    $0.parts.hangs.map { Double($0.threshold.inMilliseconds) },
                    unlessSet: Double(HangOptions().threshold.inMilliseconds))
            },
            apply: { text, configuration in
                apply(text, to: &configuration.parts.hangs, HangOptions()) { options in
                    guard let number = Int(text), (100...3_600_000).contains(number) else {
                        return false
                    }
                    options.threshold = .milliseconds(number)
                    return true
                }
            }),
        Setting(
            "memory", "none, light or full",
            "whether scarce memory is noticed, and what is dumped then",
            text: { "\($0.parts.memory?.mode ?? .none)" },
            apply: { text, configuration in
                guard let mode = MemoryMode.allCases.first(where: { "\($0)" == text.lowercased() })
                else { return false }
                guard mode != .none else {
                    configuration.parts.memory = nil
                    return true
                }
                var options = configuration.parts.memory ?? MemoryOptions()
                options.mode = mode
                configuration.parts.memory = options
                return true
            }),
        .part(
            "system_events", \.parts.systemEvents, SystemEventOptions(),
            "whether links, power, clock and time zone are watched"),
        .part(
            "handled_errors", \.parts.handledErrors, HandledErrorOptions(),
            "whether errors that the program handles become reports"),
    ]

    private static func number(_ number: Double?, unlessSet standard: Double) -> String {
        guard let number, number != standard else { return Setting.text(of: number != nil) }
        return Setting.plain(number)
    }

    /// Yes and no turn a part on and off; any other text goes to `set`.
    private static func apply<Options>(
        _ text: String, to options: inout Options?, _ standard: Options,
        _ set: (inout Options) -> Bool
    ) -> Bool {
        // The numbers 1 and 0 do not mean yes and no here.
        if Double(text) == nil, let isOn = Setting.flag(text) {
            options = isOn ? options ?? standard : nil
            return true
        }
        var changed = options ?? standard
        guard set(&changed) else { return false }
        options = changed
        return true
    }
}

extension SettingKey<Epitaph.Configuration> {
    fileprivate static func part<Part: Sendable>(
        _ name: String, _ path: Path<Part?>, _ standard: Part, _ meaning: String
    ) -> Self {
        Self(
            name, "yes or no", meaning, text: { text(of: $0[keyPath: path] != nil) },
            apply: { text, configuration in
                guard let isOn = flag(text) else { return false }
                configuration[keyPath: path] =
                    isOn ? configuration[keyPath: path] ?? standard : nil
                return true
            })
    }
}
