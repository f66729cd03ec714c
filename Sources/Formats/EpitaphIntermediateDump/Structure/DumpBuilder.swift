// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

/// Builds intermediate dumps for fixtures and tests. In a crashing process the C handler writes the
/// dump.
///
///     var dump = DumpBuilder()
///     dump.add(.version, 1)
///     dump.array(.threads) { threads in
///         threads.map { $0.add(.threadID, 4711) }
///     }
///     let bytes = dump.finished
package struct DumpBuilder: Sendable {
    private var builder = ByteBuilder()

    package init() {
        append(EPITAPH_COMMAND_ROOT_MAP_START)
    }

    package var bytes: [UInt8] { builder.bytes }

    package var finished: [UInt8] { builder.bytes + [EPITAPH_COMMAND_ROOT_MAP_END.byte] }

    /// Pads with zeros up to `byteCount`, as the rest of a head, unless already that long.
    package mutating func fill(to byteCount: Int) {
        builder.appendZeros(max(0, byteCount - bytes.count))
    }

    package mutating func add(_ key: DumpKey, bytes payload: [UInt8]) {
        start(key, payloadCount: UInt64(payload.count))
        builder.append(payload)
    }

    /// An integer, truncated to the width of the key's type; 8 bytes for an unknown key.
    package mutating func add(_ key: DumpKey, _ value: some BinaryInteger) {
        let width =
            switch key.type {
            case EPITAPH_TYPE_U8: 1
            case EPITAPH_TYPE_U16: 2
            case EPITAPH_TYPE_U32, EPITAPH_TYPE_I32: 4
            default: 8
            }
        start(key, payloadCount: UInt64(width))
        let bits = UInt64(truncatingIfNeeded: value)
        for byte in 0..<width {
            builder.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(byte))))
        }
    }

    package mutating func add(_ key: DumpKey, _ text: String) {
        add(key, bytes: Array(text.utf8))
    }

    package mutating func add(_ key: DumpKey, seconds: Int64, microseconds: Int64) {
        start(key, payloadCount: 16)
        builder.append(seconds)
        builder.append(microseconds)
    }

    package mutating func start(_ key: DumpKey, payloadCount: UInt64) {
        append(EPITAPH_COMMAND_PROPERTY, key)
        builder.append(payloadCount)
    }

    package mutating func map(_ key: DumpKey, _ contents: (inout DumpBuilder) -> Void) {
        append(EPITAPH_COMMAND_MAP_START, key)
        contents(&self)
        append(EPITAPH_COMMAND_MAP_END)
    }

    package mutating func map(_ contents: (inout DumpBuilder) -> Void) {
        append(EPITAPH_COMMAND_MAP_START)
        contents(&self)
        append(EPITAPH_COMMAND_MAP_END)
    }

    package mutating func array(_ key: DumpKey, _ contents: (inout DumpBuilder) -> Void) {
        append(EPITAPH_COMMAND_ARRAY_START, key)
        contents(&self)
        append(EPITAPH_COMMAND_ARRAY_END)
    }

    private mutating func append(_ command: epitaph_dump_command, _ key: DumpKey? = nil) {
        builder.append(command.byte)
        if let key { builder.append(key.rawValue) }
    }
}
