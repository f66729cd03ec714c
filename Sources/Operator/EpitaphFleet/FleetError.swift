// SPDX-License-Identifier: Apache-2.0

/// What keeps records of many machines from being kept or read. Servers are named by scheme, host
/// and port alone.
package enum FleetError: Error, Sendable, Equatable {
    /// The place of a table is not written as it should be.
    case invalidLocation(reason: String)
    /// The server cannot be reached, or cannot do it now: it may another time.
    case notNow(server: String, reason: String)
    /// The server will not do it, whenever it is asked.
    case refused(server: String, reason: String)
    /// The table is not there, or lacks what is needed.
    case unsuitableTable(String)
    /// What the server answered cannot be understood.
    case invalidAnswer(server: String, reason: String)
    /// The work was stopped while it waited.
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
