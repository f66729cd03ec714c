// SPDX-License-Identifier: Apache-2.0

/// Follows power supplies through uevents: Documentation/ABI/testing/sysfs-class-power.
struct PowerSupplies {
    private struct State: Equatable {
        var isOnline: Bool?
        var isLow: Bool?
    }

    private var states: [String: State] = [:]
    /// A battery is low at or below this percentage.
    private static let lowPercent = 10

    static func properties(of message: [UInt8]) -> [String: String] {
        var properties: [String: String] = [:]
        for part in message.split(separator: 0).dropFirst().prefix(128) {
            let text = String(decoding: part, as: UTF8.self)
            guard let end = text.firstIndex(of: "=") else { continue }
            properties[String(text[..<end])] = String(text[text.index(after: end)...])
        }
        return properties
    }

    /// Nil for other devices and irrelevant changes.
    mutating func event(for properties: [String: String]) -> SystemEvent? {
        guard properties["SUBSYSTEM"] == "power_supply",
            let name = properties["POWER_SUPPLY_NAME"]
        else { return nil }
        var state = State()
        state.isOnline = properties["POWER_SUPPLY_ONLINE"].map { $0 != "0" }
        if properties["POWER_SUPPLY_STATUS"] == "Discharging" {
            state.isLow = properties["POWER_SUPPLY_CAPACITY"].flatMap { Int($0) }
                .map { $0 <= Self.lowPercent }
        }
        let before = states.updateValue(state, forKey: name)
        guard state != before ?? State() else { return nil }
        if let isOnline = state.isOnline, isOnline != before?.isOnline {
            let word = isOnline ? "on" : "off"
            return SystemEvent(
                .powerSupply, isOnline ? .info : .warning, "power supply \(name) is \(word)",
                details: ["supply": name, "state": word])
        }
        guard state.isLow == true, before?.isLow != true else { return nil }
        return SystemEvent(
            .powerSupply, .warning, "battery \(name) is low",
            details: ["supply": name, "state": "low"])
    }
}
