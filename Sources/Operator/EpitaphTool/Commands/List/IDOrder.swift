// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// The places of reports in their list, in the order of their ids.
struct IDOrder {
    let places: [Int]

    init(of reports: [Report]) {
        let ids = reports.enumerated().map { (id: $1.uuid, place: $0) }
        places = ids.sorted { $0.id < $1.id }.map(\.place)
    }

    /// By place, how many characters of an id tell it from all others.
    func prefixLengths(of reports: [Report]) -> [UInt8] {
        var lengths = [UInt8](repeating: 1, count: places.count)
        for (one, next) in zip(places, places.dropFirst()) {
            let common = reports[one].uuid.commonLength(with: reports[next].uuid)
            for place in [one, next] { lengths[place] = max(lengths[place], UInt8(common + 1)) }
        }
        return lengths
    }
}
