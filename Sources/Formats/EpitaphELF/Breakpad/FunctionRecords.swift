// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct FunctionRecords {
    struct Place {
        let file: UInt64
        let line: Int?
    }

    struct InlinedCall {
        let depth: UInt64
        /// Of an INLINE_ORIGIN record.
        let origin: UInt64
        let site: Place
    }

    private let address: UInt64
    private(set) var name: String?
    private(set) var line: Place?
    private var inlined: [InlinedCall] = []
    private static let mostInlined = 4_096

    init(address: UInt64) {
        self.address = address
    }

    mutating func add(_ record: LineFields) -> Bool {
        var record = record
        guard name != nil else { return addFunction(record) }
        if record.take("INLINE") {
            addInlined(record)
            return true
        }
        guard let start = record.takeHexadecimal(), let size = record.takeHexadecimal(),
            let number = record.takeDecimal(), let file = record.takeDecimal()
        else { return false }
        if line == nil, start <= address, address - start < size {
            line = Place(file: file, line: Self.lineNumber(number))
        }
        return true
    }

    private mutating func addFunction(_ record: LineFields) -> Bool {
        var record = record
        guard record.take("FUNC") else { return false }
        record.takeMark()
        // Address, size, size of the parameters.
        guard record.takeHexadecimal() != nil, record.takeHexadecimal() != nil,
            record.takeHexadecimal() != nil, record.first != nil
        else { return false }
        name = record.remainder
        return true
    }

    private mutating func addInlined(_ record: LineFields) {
        var record = record
        guard let depth = record.takeDecimal(), let number = record.takeDecimal(),
            let file = record.takeDecimal(), let origin = record.takeDecimal(),
            inlined.count < Self.mostInlined
        else { return }
        while let start = record.takeHexadecimal(), let size = record.takeHexadecimal() {
            guard start <= address, address - start < size else { continue }
            inlined.append(
                InlinedCall(
                    depth: depth, origin: origin,
                    site: Place(file: file, line: Self.lineNumber(number))))
            return
        }
    }

    /// The inlined calls at the address, outermost first: from depth 0 up to the first missing one.
    func inlinedCalls(limit: Int) -> [InlinedCall] {
        var chain: [InlinedCall] = []
        while chain.count < limit,
            let next = inlined.first(where: { $0.depth == UInt64(chain.count) })
        {
            chain.append(next)
        }
        return chain
    }

    /// 0 means no line.
    private static func lineNumber(_ number: UInt64) -> Int? {
        number > 0 ? Int(exactly: number) : nil
    }
}
