// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A minidump put together by hand, in forms we never write.
struct HandMadeMinidump {
    var processor: UInt16 = 9
    var platform: UInt32 = 0x8201
    /// Types, and bytes made from the offset at which the stream will be.
    var streams: [(type: UInt32, bytes: (Int) -> [UInt8])] = []

    var bytes: ByteSlice {
        var systemInfo = ByteBuilder()
        systemInfo.append(processor)
        systemInfo.appendZeros(18)
        systemInfo.append(platform)
        systemInfo.appendZeros(32)
        let information = systemInfo.bytes
        let all = [(type: UInt32(7), bytes: { (_: Int) in information })] + streams
        var offset = 32 + 12 * all.count
        var directory = ByteBuilder()
        var contents = ByteBuilder()
        for stream in all {
            let bytes = stream.bytes(offset)
            for word in [stream.type, UInt32(bytes.count), UInt32(offset)] {
                directory.append(word)
            }
            contents.append(bytes)
            offset += bytes.count
        }
        var file = ByteBuilder()
        for word in [0x504d_444d, 0xa793, UInt32(all.count), 32, 0, 0, 0, 0] { file.append(word) }
        file.append(directory.bytes)
        file.append(contents.bytes)
        return ByteSlice(file.bytes)
    }

    mutating func add(_ type: UInt32, _ bytes: [UInt8]) {
        streams.append((type, { _ in bytes }))
    }

    /// A list with one thread, whose registers, if it has any, follow the list.
    mutating func addThread(_ id: UInt32 = 77, stack: UInt64 = 0, context: [UInt8] = []) {
        streams.append(
            (
                3,
                { offset in
                    var list = ByteBuilder()
                    for word: UInt32 in [1, id, 0, 0, 0, 0, 0] { list.append(word) }
                    list.append(stack)
                    list.appendZeros(8)
                    list.append(UInt32(context.count))
                    list.append(UInt32(offset + 52))
                    list.append(context)
                    return list.bytes
                }
            ))
    }

    /// An exception without registers.
    mutating func addException(
        _ code: UInt32, flags: UInt32 = 0, address: UInt64 = 0, parameters: [UInt64] = []
    ) {
        var record = ByteBuilder()
        for word: UInt32 in [77, 0, code, flags, 0, 0] { record.append(word) }
        record.append(address)
        record.append(UInt64(parameters.count))
        for index in 0..<15 {
            record.append(index < parameters.count ? parameters[index] : 0)
        }
        record.appendZeros(8)
        add(6, record.bytes)
    }

    /// A list with one module of 0x1000 bytes, its name and its CodeView record.
    mutating func addModule(_ name: String, at address: UInt64 = 0x40_0000, record: [UInt8] = []) {
        streams.append(
            (
                4,
                { offset in
                    var list = ByteBuilder()
                    list.append(UInt32(1))
                    list.append(address)
                    for word: UInt32 in [0x1000, 0, 0, UInt32(offset + 112)] { list.append(word) }
                    list.appendZeros(52)
                    let text = Array(name.utf16)
                    list.append(UInt32(record.count))
                    list.append(UInt32(offset + 116 + 2 * text.count))
                    list.appendZeros(24)
                    list.append(UInt32(2 * text.count))
                    text.forEach { list.append($0) }
                    list.append(record)
                    return list.bytes
                }
            ))
    }
}

/// Words as little-endian bytes.
func words<Word: FixedWidthInteger>(_ words: [Word]) -> [UInt8] {
    var bytes = ByteBuilder()
    words.forEach { bytes.append($0) }
    return bytes.bytes
}
