// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

/// Writes an intermediate dump in memory, for fixtures and tests. In a crashing process the C
/// handler writes the dump.
///
///     var dump = DumpBuilder()
///     dump.add(.version, 1)
///     dump.array(.threads) { threads in
///         threads.map { $0.add(.threadID, 4711) }
///     }
///     let bytes = dump.finished
package struct DumpBuilder: Sendable {
    private var builder = ByteBuilder()

    /// Begins with the root map's start.
    package init() {
        append(EPITAPH_COMMAND_ROOT_MAP_START)
    }

    /// What is written so far, which is also a dump that was cut here.
    package var bytes: [UInt8] { builder.bytes }

    /// The whole dump, with the end mark.
    package var finished: [UInt8] { builder.bytes + [EPITAPH_COMMAND_ROOT_MAP_END.byte] }

    /// Appends zeros up to `byteCount`, as the rest of a head has. Does nothing if the dump is
    /// already that long.
    package mutating func fill(to byteCount: Int) {
        builder.appendZeros(max(0, byteCount - bytes.count))
    }

    /// A property with any payload.
    package mutating func add(_ key: DumpKey, bytes payload: [UInt8]) {
        start(key, payloadCount: UInt64(payload.count))
        builder.append(payload)
    }

    /// An integer as wide as the key's type says, 8 bytes for an unknown key; higher bits of
    /// `value` are dropped.
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

    /// A property whose payload is the text's UTF-8, without a NUL.
    package mutating func add(_ key: DumpKey, _ text: String) {
        add(key, bytes: Array(text.utf8))
    }

    /// A TIMEVAL.
    package mutating func add(_ key: DumpKey, seconds: Int64, microseconds: Int64) {
        start(key, payloadCount: 16)
        builder.append(seconds)
        builder.append(microseconds)
    }

    /// Command, key and length of a property, without its payload.
    package mutating func start(_ key: DumpKey, payloadCount: UInt64) {
        append(EPITAPH_COMMAND_PROPERTY, key)
        builder.append(payloadCount)
    }

    /// A map with a key, in a map.
    package mutating func map(_ key: DumpKey, _ contents: (inout DumpBuilder) -> Void) {
        append(EPITAPH_COMMAND_MAP_START, key)
        contents(&self)
        append(EPITAPH_COMMAND_MAP_END)
    }

    /// A map without a key, in an array.
    package mutating func map(_ contents: (inout DumpBuilder) -> Void) {
        append(EPITAPH_COMMAND_MAP_START)
        contents(&self)
        append(EPITAPH_COMMAND_MAP_END)
    }

    /// An array; `contents` may add only maps.
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
