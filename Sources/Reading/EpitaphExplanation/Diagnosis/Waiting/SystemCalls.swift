// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package enum SystemCalls {
    /// Nil for numbers unknown in Linux 6.10, and for other processors.
    package static func name(of number: Int64, on architecture: Architecture) -> String? {
        switch architecture {
        case .x86_64: x86[number]
        case .aarch64: arm64[number]
        default: nil
        }
    }

    private static let x86 = table(x86Listing)
    private static let arm64 = table(arm64Listing)

    private static func table(_ listing: String) -> [Int64: String] {
        var names: [Int64: String] = [:]
        for entry in listing.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let words = entry.split(separator: " ")
            guard words.count == 2, let number = Int64(words[0]) else { continue }
            names[number] = String(words[1])
        }
        return names
    }
}
