// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Roughly how many bytes events take in memory.
extension Epitaph.Value {
    var byteCount: Int {
        if case .text(let text) = self { text.utf8.count } else { 16 }
    }
}

extension [String: Epitaph.Value] {
    var byteCount: Int {
        reduce(0) { $0 + $1.key.utf8.count + $1.value.byteCount }
    }
}

extension [String: String] {
    var byteCount: Int {
        reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
