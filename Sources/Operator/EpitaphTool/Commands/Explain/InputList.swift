// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

struct InputList {
    enum Next {
        case name(String)
        /// An invalid name: its printable part, and the reason.
        case unusable(String, String)
        case notYet
        case postponed(String)
        /// A listing failed; a sentence.
        case impossible(String)
        case end
    }

    static let standardInput = "-"
    private static let longestName = 1 << 16

    private var operands: ArraySlice<String>
    private let separator: UInt8
    /// Unused input from standard input; nil unless it is the current operand.
    private var text: [UInt8]?
    private var start = 0
    private var isAtEnd = false
    private var skipsRest = false
    private var listing: BucketListing?
    private let buckets: BucketReader

    /// - Parameters:
    ///   - operands: names, and `-` for standard input, which is also the default.
    ///   - separator: ends each name on standard input.
    init(_ operands: [String], separator: UInt8, buckets: BucketReader) {
        self.buckets = buckets
        self.operands = (operands.isEmpty ? [Self.standardInput] : operands)[...]
        let isOpen = self.operands.contains {
            $0 == Self.standardInput || BucketName.isPrefix($0)
        }
        count = isOpen ? nil : operands.count
        self.separator = separator
    }

    let count: Int?

    mutating func next() -> Next {
        while true {
            if let found = nextListed() { return found }
            let next = nextGiven()
            guard case .name(let name) = next, BucketName.isPrefix(name) else { return next }
            listing = BucketListing(name, buckets)
        }
    }

    private mutating func nextListed() -> Next? {
        guard let input = listing?.input else { return nil }
        do throws(BucketFailure) {
            if let name = try listing?.next() { return .name(name) }
            listing = nil
            return nil
        } catch {
            switch error {
            case .temporary(let sentence): return .postponed(sentence)
            case .ofStore(let sentence): return .impossible(sentence)
            case .ofObject(let sentence):
                listing = nil
                return .unusable(input, sentence)
            }
        }
    }

    private mutating func nextGiven() -> Next {
        while true {
            if text != nil {
                if let found = nextLine() { return found }
                guard isAtEnd else { return .notYet }
                text = nil
            }
            guard let operand = operands.popFirst() else { return .end }
            guard operand == Self.standardInput else { return .name(operand) }
            text = isAtEnd ? nil : []
        }
    }

    /// Reads standard input once, after `.notYet`; may block.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) {
        let count = try FileDescriptor.standardInput.read(into: buffer)
        text = Array((text ?? [])[start...]) + buffer[..<count]
        start = 0
        isAtEnd = count == 0
    }

    private mutating func nextLine() -> Next? {
        guard let text else { return nil }
        while start < text.count || isAtEnd {
            let rest = text[start...]
            let end = rest.firstIndex(of: separator)
            guard let stop = end ?? (isAtEnd ? text.count : nil) else {
                return longName(rest)
            }
            start = end.map { $0 + 1 } ?? text.count
            if skipsRest {
                skipsRest = false
            } else if stop > rest.startIndex {
                return Self.name(rest[..<stop])
            }
            if end == nil { return nil }
        }
        return nil
    }

    /// A name without an end so far; its rest is skipped once it is too long.
    private mutating func longName(_ rest: ArraySlice<UInt8>) -> Next? {
        guard rest.count > Self.longestName else { return nil }
        start = text?.count ?? 0
        guard !skipsRest else { return nil }
        skipsRest = true
        return Self.name(rest)
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> Next {
        let shown = UndecodableName(bytes: Array(bytes.prefix(256))).text
        guard bytes.count <= longestName else {
            return .unusable(shown + "…", "it is longer than any name: \(longestName) bytes")
        }
        guard let name = String(validating: bytes, as: UTF8.self) else {
            return .unusable(
                UndecodableName(bytes: Array(bytes)).text, "its name is not in UTF-8")
        }
        guard !bytes.contains(0) else { return .unusable(shown, "its name contains a zero") }
        return .name(name)
    }
}
