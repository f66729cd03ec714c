// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The fields of a status file, proc_pid_status(5).
package struct ProcessStatus: Sendable {
    package let bytes: [UInt8]
    private let lines: [Substring]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// The value of the first line of this name, without the white space around it.
    package subscript(name: String) -> String? {
        lines.first { $0.hasPrefix(name + ":") }.map { $0.dropFirst(name.count + 1).trimmed }
    }

    /// The numbers on the line of this name; empty if there is none.
    package func numbers<Number: FixedWidthInteger>(
        _ name: String, as kind: Number.Type
    ) -> [Number] {
        (self[name] ?? "").split(whereSeparator: \.isWhitespace).compactMap { Number($0) }
    }
}
