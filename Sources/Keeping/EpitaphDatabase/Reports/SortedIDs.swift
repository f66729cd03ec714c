// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Each id once. Of a hundred thousand ids it takes a third of the memory of a set.
struct SortedIDs {
    let ids: [Epitaph.ID]

    init(_ listed: [Epitaph.ID]) {
        var ids = listed
        ids.sort()
        // A directory that changes while it is read may show a name twice.
        var count = 0
        for id in ids where count == 0 || ids[count - 1] != id {
            ids[count] = id
            count += 1
        }
        ids.removeLast(ids.count - count)
        self.ids = ids
    }

    func contains(_ id: Epitaph.ID) -> Bool {
        let place = ids.prefixCount { $0 < id }
        return place < ids.count && ids[place] == id
    }
}
