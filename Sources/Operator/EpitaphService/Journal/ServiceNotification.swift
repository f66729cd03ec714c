// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Says to the manager of services how the service does: sd_notify(3), without its library.
package struct ServiceNotification: Sendable {
    private let socket: String?
    /// How often the manager wants to hear that the service is alive, seconds; nil if never.
    package let watchdogSeconds: Double?

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` count.
    ///   - processID: of this process.
    package init(environment: [String: String], processID: Int32) {
        socket = environment["NOTIFY_SOCKET"].flatMap { address in
            address.hasPrefix("/") || address.hasPrefix("@") ? address : nil
        }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
        watchdogSeconds =
            isMeant && microseconds > 0 && socket != nil ? Double(microseconds) / 1e6 : nil
    }

    /// The service does its work now.
    package func ready(_ status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// The configuration is being read again; `ready` follows.
    ///
    /// - Parameter monotonicMicroseconds: CLOCK_MONOTONIC, which the manager wants with it.
    package func reloading(monotonicMicroseconds: UInt64) {
        send("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)")
    }

    /// The service is about to end.
    package func stopping() { send("STOPPING=1") }

    /// The service is alive.
    package func alive() { send("WATCHDOG=1") }

    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// A manager that does not listen is no reason to do anything else.
    private func send(_ text: String) {
        guard let socket else { return }
        try? UnixDatagram(to: socket).send(Array(text.utf8))
    }
}
