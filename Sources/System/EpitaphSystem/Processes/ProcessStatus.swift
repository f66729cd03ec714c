// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct ProcessStatus: Sendable {
    package let bytes: [UInt8]
    private let lines: [Substring]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    package subscript(name: String) -> String? {
        lines.first { $0.hasPrefix(name + ":") }.map { $0.dropFirst(name.count + 1).trimmed }
    }

    package func numbers<Number: FixedWidthInteger>(
        _ name: String, as kind: Number.Type
    ) -> [Number] {
        (self[name] ?? "").split(whereSeparator: \.isWhitespace).compactMap { Number($0) }
    }
}
