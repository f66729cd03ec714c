// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Destinations that accepted nothing when last tried: `delivery/destinations.json`.
extension ReportDatabase {
    private static var standingsName: String { "destinations.json" }
    /// More than anyone uses; limits the file's size.
    private static var destinationLimit: Int { 16 }

    /// Nil if the destination has never failed.
    ///
    /// - Parameter name: identifies the destination and its key. It is written to disk, so it must
    ///   not contain the key.
    package func standing(ofDestination name: String) throws(DatabaseError) -> DestinationStanding?
    {
        try standings()[name]
    }

    /// For all processes. Of two simultaneous calls one may be lost; the next try stores it again.
    package func record(
        _ standing: DestinationStanding, ofDestination name: String
    ) throws(DatabaseError) {
        var standings = try standings()
        standings[name] = nil
        while standings.count >= Self.destinationLimit,
            let oldest = standings.min(by: { $0.value.lastTry < $1.value.lastTry })
        {
            standings[oldest.key] = nil
        }
        standings[name] = standing
        try write(standings)
    }

    package func makeDestinationsDue() throws(DatabaseError) {
        let standings = try standings()
        guard standings.contains(where: { $0.value.tries > 0 }) else { return }
        try write(
            standings.mapValues { standing in
                var standing = standing
                standing.tries = 0
                return standing
            })
    }

    private func standings() throws(DatabaseError) -> [String: DestinationStanding] {
        guard let directory = try openDirectory(Self.deliveryName, ifMissing: .fail) else {
            return [:]
        }
        return try read(Self.standingsName, in: directory) { bytes in
            guard case .object(let all)? = JSONValue.object(bytes)?["destinations"] else {
                return nil
            }
            return all.compactMapValues { DestinationStanding($0) }
        } ?? [:]
    }

    private func write(_ standings: [String: DestinationStanding]) throws(DatabaseError) {
        let fields: [String: JSONValue] = [
            "version": .integer(1), "destinations": .object(standings.mapValues(\.json)),
        ]
        guard let bytes = JSONValue.bytes(fields) else { return }
        try attempt(replace(Self.standingsName, with: bytes))
    }
}
