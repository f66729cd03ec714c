// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Destinations that took nothing when they were last tried: `delivery/destinations.json`.
extension ReportDatabase {
    private static var standingsName: String { "destinations.json" }
    /// More destinations than anyone uses; limits the file's size.
    private static var destinationLimit: Int { 16 }

    /// The standing of a destination; nil for one that has never failed.
    ///
    /// - Parameter name: identifies the destination together with its key. It is written to disk,
    /// so the key itself must not be part of it.
    package func standing(ofDestination name: String) throws(DatabaseError) -> DestinationStanding?
    {
        try standings()[name]
    }

    /// Stores the standing of a destination for this and every other process.
    ///
    /// If two processes do this at the same moment one of the two may be lost; the next try stores
    /// it again.
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

    /// A person asks for reports to be sent now: the next pass tries each destination, however it
    /// answered before.
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
        return try readDeliveryFile(Self.standingsName, in: directory) { bytes in
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
        let unfinished = Epitaph.ID().fileStem + ".json"
        try attempt { () throws(SystemError) in
            let file = try newReports.create(unfinished)
            try complete(file, unfinished, as: Self.standingsName, with: bytes)
        }
    }
}
