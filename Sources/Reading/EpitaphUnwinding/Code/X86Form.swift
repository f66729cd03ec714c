// SPDX-License-Identifier: Apache-2.0

/// The parts of an x86_64 instruction: prefixes, opcode, ModR/M, SIB, displacement, immediate.
/// Intel SDM 2, 2.1 to 2.3, tables.
struct X86Form {
    enum OpcodeMap {
        case one, two
        /// 0F 38, 0F 3A, VEX and EVEX: none of them changes rsp or rbp in compiled code.
        case other
    }

    private static let longest = 15

    private let code: [UInt8]
    private let start: Int
    private(set) var next: Int
    private(set) var map = OpcodeMap.one
    private(set) var opcode: UInt8 = 0
    private(set) var displacement: Int64 = 0
    private(set) var immediate: Int64 = 0
    private(set) var hasSizePrefix = false
    private var rex: UInt8 = 0
    private var vectorMap: Int?
    private var hasAddressPrefix = false
    private var modRM: UInt8?
    private var scaleByte: UInt8?

    init(_ code: [UInt8], at start: Int) {
        self.code = code
        self.start = start
        next = start
    }

    /// A 64-bit operation.
    var isLong: Bool { rex & 8 != 0 }
    /// A 16-bit operation.
    var isShort: Bool { hasSizePrefix && !isLong }
    var opcodeRegister: Int { Int(opcode & 7 | (rex & 1) << 3) }
    var reg: Int { Int((modRM ?? 0) >> 3 & 7 | (rex & 4) << 1) }

    /// The register that r/m names; nil if it is memory.
    var rmRegister: Int? {
        guard let modRM, modRM >> 6 == 3 else { return nil }
        return Int(modRM & 7 | (rex & 1) << 3)
    }

    /// The base register of a memory operand.
    var base: Int? {
        guard let modRM, modRM >> 6 != 3 else { return nil }
        guard let scaleByte else {
            return modRM >> 6 == 0 && modRM & 7 == 5 ? nil : Int(modRM & 7 | (rex & 1) << 3)
        }
        return modRM >> 6 == 0 && scaleByte & 7 == 5 ? nil : Int(scaleByte & 7 | (rex & 1) << 3)
    }

    var hasIndex: Bool {
        guard let scaleByte else { return false }
        return scaleByte >> 3 & 7 != 4 || rex & 2 != 0
    }

    /// False if the bytes are no instruction.
    mutating func read() -> Bool {
        guard readPrefixes(), readOpcode() else { return false }
        let immediateBytes: Int
        switch map {
        case .one:
            guard !Self.isInvalid(opcode), !Self.hasModRMInOne(opcode) || readModRM() else {
                return false
            }
            // AMD's XOP
            guard opcode != 0x8f || reg & 7 == 0 else { return false }
            immediateBytes = bytesInOne
        case .two:
            guard !Self.hasModRMInTwo(opcode) || readModRM() else { return false }
            immediateBytes = 0x80...0x8f ~= opcode ? 4 : Self.hasByteInTwo(opcode) ? 1 : 0
        case .other:
            // vzeroupper
            guard vectorMap == 1 && opcode == 0x77 || readModRM() else { return false }
            immediateBytes = vectorMap == 3 || vectorMap == 1 && Self.hasByteInTwo(opcode) ? 1 : 0
        }
        guard let value = signed(immediateBytes) else { return false }
        immediate = value
        return next - start <= Self.longest
    }

    private mutating func readPrefixes() -> Bool {
        while let byte = peek() {
            switch byte {
            case 0x66: hasSizePrefix = true
            case 0x67: hasAddressPrefix = true
            case 0xf0, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65: break
            case 0x40...0x4f:
                rex = byte
                next += 1
                return peek() != nil
            default: return true
            }
            next += 1
        }
        return false
    }

    private mutating func readOpcode() -> Bool {
        guard let first = take() else { return false }
        opcode = first
        switch first {
        case 0xc5: return readVector(payloadBytes: 1, map: 1)
        case 0xc4: return readVector(payloadBytes: 2)
        case 0x62: return readVector(payloadBytes: 3)
        case 0x0f:
            map = .two
            guard let second = take() else { return false }
            opcode = second
            guard second == 0x38 || second == 0x3a else { return true }
            return readVector(payloadBytes: 0, map: second == 0x38 ? 2 : 3)
        default: return true
        }
    }

    private mutating func readVector(payloadBytes: Int, map number: Int? = nil) -> Bool {
        guard let payload = peek() else { return false }
        next += payloadBytes
        guard let last = take() else { return false }
        (map, opcode) = (.other, last)
        vectorMap = number ?? Int(payload & (payloadBytes == 3 ? 7 : 0x1f))
        return true
    }

    private mutating func readModRM() -> Bool {
        guard let byte = take() else { return false }
        modRM = byte
        let mode = byte >> 6
        guard mode != 3 else { return true }
        var bytes = mode == 1 ? 1 : mode == 2 ? 4 : byte & 7 == 5 ? 4 : 0
        if byte & 7 == 4 {
            guard let scale = take() else { return false }
            scaleByte = scale
            if mode == 0, scale & 7 == 5 { bytes = 4 }
        }
        guard let value = signed(bytes) else { return false }
        displacement = value
        return true
    }

    private var bytesInOne: Int {
        let word = isShort ? 2 : 4
        switch opcode {
        case 0x00...0x3f: return opcode & 7 == 4 ? 1 : opcode & 7 == 5 ? word : 0
        case 0x68, 0x69, 0x81, 0xa9, 0xc7: return word
        // Jumps and calls have four bytes whatever the prefix; Intel SDM 2A, JMP.
        case 0xe8, 0xe9: return 4
        case 0x6a, 0x6b, 0x70...0x7f, 0x80, 0x83, 0xa8, 0xb0...0xb7, 0xc0, 0xc1, 0xc6, 0xcd,
            0xe0...0xe7, 0xeb:
            return 1
        case 0xa0...0xa3: return hasAddressPrefix ? 4 : 8
        case 0xb8...0xbf: return isLong ? 8 : word
        case 0xc2, 0xca: return 2
        case 0xc8: return 3
        case 0xf6: return reg & 7 < 2 ? 1 : 0
        case 0xf7: return reg & 7 < 2 ? word : 0
        default: return 0
        }
    }

    private static func isInvalid(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x82,
            0x9a, 0xce, 0xd4...0xd6, 0xea:
            true
        default: false
        }
    }

    private static func hasModRMInOne(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x00...0x3f: opcode & 7 < 4
        case 0x63, 0x69, 0x6b, 0x80...0x8f, 0xc0, 0xc1, 0xc6, 0xc7, 0xd0...0xd3, 0xd8...0xdf, 0xf6,
            0xf7, 0xfe, 0xff:
            true
        default: false
        }
    }

    private static func hasModRMInTwo(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x05...0x0b, 0x0e, 0x30...0x37, 0x77, 0x80...0x8f, 0xa0...0xa2, 0xa8...0xaa,
            0xc8...0xcf:
            false
        default: true
        }
    }

    private static func hasByteInTwo(_ opcode: UInt8) -> Bool {
        switch opcode {
        case 0x0f, 0x70...0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4...0xc6: true
        default: false
        }
    }

    private func peek() -> UInt8? {
        next < code.count ? code[next] : nil
    }

    private mutating func take() -> UInt8? {
        guard let byte = peek() else { return nil }
        next += 1
        return byte
    }

    /// The next bytes as a number with a sign; 0 if there are none to read.
    private mutating func signed(_ count: Int) -> Int64? {
        guard count > 0 else { return 0 }
        guard next + count <= code.count else { return nil }
        let value = code[next..<next + count].littleEndian
        next += count
        let shift = UInt64(8 - count) * 8
        return Int64(bitPattern: value << shift) >> shift
    }
}
