// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Notifies the service manager: sd_notify(3), without its library.
package struct ServiceNotification: Sendable {
    private let socket: String?
    /// The manager's watchdog interval in seconds; nil for none.
    package let watchdogSeconds: Double?

    /// - Parameter environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` count.
    package init(environment: [String: String], processID: Int32) {
        socket = environment["NOTIFY_SOCKET"].flatMap { address in
            address.hasPrefix("/") || address.hasPrefix("@") ? address : nil
        }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(processID)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
        watchdogSeconds =
            isMeant && microseconds > 0 && socket != nil ? Double(microseconds) / 1e6 : nil
    }

    package func ready(_ status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// `ready` follows. `monotonicMicroseconds` is CLOCK_MONOTONIC, which the manager requires.
    package func reloading(monotonicMicroseconds: UInt64) {
        send("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)")
    }

    package func stopping() { send("STOPPING=1") }

    package func alive() { send("WATCHDOG=1") }

    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    private func send(_ text: String) {
        guard let socket else { return }
        try? UnixDatagram(to: socket).send(Array(text.utf8))
    }
}
