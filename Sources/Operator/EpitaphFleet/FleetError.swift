// SPDX-License-Identifier: Apache-2.0

/// A failure to store or read records. Servers are named by scheme, host and port alone.
package enum FleetError: Error, Sendable, Equatable {
    /// The location of a table is malformed.
    case invalidLocation(reason: String)
    case notNow(server: String, reason: String)
    case refused(server: String, reason: String)
    /// The table is missing or lacks essential columns.
    case unsuitableTable(String)
    case invalidAnswer(server: String, reason: String)
    case stopped
}

extension FleetError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidLocation(let reason):
            "the table's place is written clickhouse:http://HOST:8123/DATABASE.TABLE: \(reason)"
        case .notNow(let server, let reason), .refused(let server, let reason):
            "\(server): \(reason)"
        case .unsuitableTable(let reason): reason
        case .invalidAnswer(let server, let reason):
            "the answer of \(server) cannot be understood: \(reason)"
        case .stopped: "it was stopped before the server had answered"
        }
    }
}
