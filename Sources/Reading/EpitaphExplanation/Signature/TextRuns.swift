// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

typealias TextRun = (end: Int, replacement: ArraySlice<UInt8>)

extension String {
    /// Replaces parts that `run` recognises at their first byte; they begin and end in ASCII.
    func replacingRuns(_ run: (_ bytes: [UInt8], _ start: Int) -> TextRun?) -> String {
        let bytes = Array(utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var start = 0
        while start < bytes.count {
            if let run = run(bytes, start) {
                result += run.replacement
                start = run.end
            } else {
                result.append(bytes[start])
                start += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension [UInt8] {
    func end(from start: Int, _ belongs: (UInt8) -> Bool) -> Int {
        self[start...].firstIndex { !belongs($0) } ?? count
    }

    func has(_ text: String, at start: Int) -> Bool {
        start <= count && self[start...].starts(with: text.utf8)
    }

    func isWord(before place: Int) -> Bool {
        isWord(String(decoding: self[..<place].suffix(4), as: UTF8.self).last)
    }

    func isWord(at place: Int) -> Bool {
        isWord(String(decoding: self[place...].prefix(4), as: UTF8.self).first)
    }

    private func isWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    }
}
