// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Servers that asked for a pause, for all reports: `delivery/servers.json`.
extension ReportDatabase {
    private static var pausesName: String { "servers.json" }
    /// More than anyone uses; limits the file's size.
    private static var serverLimit: Int { 16 }

    /// The end of a pause that a server (scheme, host and port) asked for; nil if none or over.
    package func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp? {
        guard let directory = try openDirectory(Self.deliveryName, ifMissing: .fail) else {
            return nil
        }
        let pauses = try storedPauses(directory)
        return pauses[server].map { Timestamp(wholeSeconds: $0) }.flatMap {
            $0 > clock.now() ? $0 : nil
        }
    }

    /// For all processes. Of two simultaneous calls one may be lost; the server will say it again.
    package func pause(_ server: String, until end: Timestamp) throws(DatabaseError) {
        let now = clock.now()
        var pauses: [String: Int64] = [:]
        if let directory = try openDirectory(Self.deliveryName, ifMissing: .fail) {
            pauses = try storedPauses(directory).filter { $0.value > now.wholeSeconds }
        }
        while pauses.count >= Self.serverLimit, let first = pauses.min(by: { $0.1 < $1.1 }) {
            pauses[first.key] = nil
        }
        // Better a second late than too early.
        pauses[server] = end.wholeSeconds == .max ? .max : end.wholeSeconds + 1
        let fields: [String: JSONValue] = [
            "version": .integer(1), "not_before": .object(pauses.mapValues { .integer($0) }),
        ]
        guard let bytes = JSONValue.bytes(fields) else { return }
        try attempt(replace(Self.pausesName, with: bytes))
    }

    private func storedPauses(_ directory: Directory) throws(DatabaseError) -> [String: Int64] {
        try read(Self.pausesName, in: directory) { bytes in
            guard case .object(let servers)? = JSONValue.object(bytes)?["not_before"] else {
                return nil
            }
            return servers.compactMapValues(\.whole)
        } ?? [:]
    }
}
