// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A minidump put together from the formats' papers, with what our writer never makes: annotations
/// of modules, annotation objects, memory lists of 64 bits, unknown streams.
struct ScrubbingSample {
    private var file = ByteBuilder()
    private var directory: [(type: UInt32, size: UInt32, offset: UInt32)] = []
    private let streamLimit = 16

    init(processor: UInt16 = 9) {
        file.appendZeros(32 + 12 * streamLimit)
        var systemInfo = ByteBuilder()
        systemInfo.append(processor)
        systemInfo.appendZeros(18)
        systemInfo.append(UInt32(0x8201))
        systemInfo.appendZeros(32)
        add(7, systemInfo.bytes)
    }

    /// Where the next piece will be.
    var end: UInt32 { UInt32(file.count) }

    /// Puts bytes somewhere and returns their offset.
    mutating func place(_ bytes: [UInt8]) -> UInt32 {
        let offset = end
        file.append(bytes)
        file.appendZeros((4 - file.count % 4) % 4)
        return offset
    }

    mutating func place(words: [UInt32]) -> UInt32 {
        var record = ByteBuilder()
        words.forEach { record.append($0) }
        return place(record.bytes)
    }

    mutating func utf8(_ text: String) -> UInt32 {
        var record = ByteBuilder()
        record.append(UInt32(text.utf8.count))
        record.append(text)
        record.append(UInt8(0))
        return place(record.bytes)
    }

    mutating func add(_ type: UInt32, _ bytes: [UInt8]) {
        directory.append((type, UInt32(bytes.count), place(bytes)))
    }

    mutating func add(_ type: UInt32, words: [UInt32]) {
        directory.append((type, UInt32(words.count * 4), place(words: words)))
    }

    /// CrashpadInfo with one module that has messages, simple annotations and annotation objects.
    mutating func addCrashpadInfo(
        messages: [String], simple: [(String, String)],
        objects: [(name: String, type: UInt16, value: String)]
    ) {
        let messageList = place(words: [UInt32(messages.count)] + messages.map { utf8($0) })
        let simpleList = place(
            words: [UInt32(simple.count)] + simple.flatMap { [utf8($0.0), utf8($0.1)] })
        let objectList = place(
            words: [UInt32(objects.count)]
                + objects.flatMap { [utf8($0.name), UInt32($0.type), utf8($0.value)] })
        let module = place(words: [
            1, UInt32(4 + 4 * messages.count), messageList, UInt32(4 + 8 * simple.count),
            simpleList, UInt32(4 + 12 * objects.count), objectList,
        ])
        let links = place(words: [1, 0, 28, module])
        add(
            0x4350_0001,
            words: [1] + [UInt32](repeating: 0, count: 8) + [0, 0, 16, links, 0, 0, 0])
    }

    var bytes: [UInt8] {
        var result = file
        let header: [UInt32] = [0x504d_444d, 0xa793, UInt32(directory.count), 32, 0, 0, 0, 0]
        let entries = directory.flatMap { [$0.type, $0.size, $0.offset] }
        for (index, word) in (header + entries).enumerated() {
            result.overwrite(at: 4 * index, with: word)
        }
        return result.bytes
    }
}
