// SPDX-License-Identifier: Apache-2.0

/// Of aarch64. Arm ARM, C4.1.
extension CodeInstruction {
    private static let stackPointer = 31
    private static let framePointer = 29

    init?(arm64 code: [UInt8], at start: Int) {
        guard start >= 0, start % 4 == 0, start + 4 <= code.count else { return nil }
        let word = UInt32(truncatingIfNeeded: code[start..<start + 4].littleEndian)
        length = 4
        isPadding = word == 0xd503_201f
        switch word >> 25 & 0xf {
        case 0 where word >> 16 == 0: flow = .end
        case 0x8, 0x9: readImmediate(word)
        case 0xa, 0xb: readBranch(word, at: start)
        case 0x5, 0xd: readRegisters(word, behind: start >= 4 ? code[start - 4..<start] : [])
        case 0x4, 0x6, 0xc, 0xe: readMemory(word)
        // fmov x29, d0; addvl and addpl sp, x0, #n
        case _ where word & 0xffff_fc1f == 0x9e66_001d: effect = .changeFramePointer
        case _ where word & 0xffa0_f81f == 0x0420_501f: effect = .loseStack
        default: break
        }
    }

    private mutating func readBranch(_ word: UInt32, at start: Int) {
        func target(_ low: Int, _ count: Int) -> Int {
            start + Int(Self.signed(word >> UInt32(low), count)) * 4
        }
        if word >> 26 == 0b000101 {
            flow = .jump(target(0, 26))
        } else if word >> 26 == 0b100101 {
            flow = .call
        } else if word >> 24 == 0x54 || word & 0x7e00_0000 == 0x3400_0000 {
            // b.cond, cbz, cbnz
            flow = .branch(target(5, 19))
        } else if word & 0x7e00_0000 == 0x3600_0000 {
            // tbz, tbnz
            flow = .branch(target(5, 14))
        } else if word >> 25 == 0b1101011 {
            // br, blr, ret, and those that authenticate
            let operation = word >> 21 & 0xf
            flow = operation & 7 == 1 ? .call : operation & 7 == 0 ? .indirectJump : .end
        } else if word >> 24 == 0xd4 {
            // svc goes on; brk and hlt do not.
            flow = word & 0x00e0_0000 == 0 ? .next : .end
        } else if word & 0xfff0_001f == 0xd530_001d {
            // mrs x29
            effect = .changeFramePointer
        }
    }

    private mutating func readImmediate(_ word: UInt32) {
        let (target, source) = (Int(word & 31), Int(word >> 5 & 31))
        // add and sub, 64 bits, without flags
        guard word & 0xbf80_0000 == 0x9100_0000 else {
            // Logical ones write sp, too, unless they set flags; and addg.
            let isLogical = word & 0x1f80_0000 == 0x1200_0000 && word >> 29 & 3 != 3
            let isOfTag = word & 0xbf80_0000 == 0x9180_0000
            change(isLogical || isOfTag || target != Self.stackPointer ? target : nil)
            return
        }
        let size = Int64(word >> 10 & 0xfff) << (word >> 22 & 1 == 1 ? 12 : 0)
        add(word >> 30 & 1 == 1 ? -size : size, to: source, into: target)
    }

    private mutating func add(_ distance: Int64, to source: Int, into target: Int) {
        switch (target, source) {
        case (Self.stackPointer, Self.stackPointer): effect = .moveStack(distance)
        case (Self.stackPointer, Self.framePointer): effect = .returnToFrame(distance)
        case (Self.framePointer, Self.stackPointer): effect = .makeFrame(distance)
        default: change(target)
        }
    }

    private mutating func readRegisters(_ word: UInt32, behind code: ArraySlice<UInt8>) {
        let target = Int(word & 31)
        // add and sub with an extended register: only they write sp.
        guard word & 0x3fe0_0000 == 0x0b20_0000 else {
            change(target == Self.stackPointer ? nil : target)
            return
        }
        // A large frame: mov x12, #n; sub sp, sp, x12
        let before = code.isEmpty ? 0 : UInt32(truncatingIfNeeded: code.littleEndian)
        if word & 0xbfe0_ffff == 0x8b20_63ff, before & 0xffc0_001f == 0xd280_0000 | word >> 16 & 31
        {
            let size = Int64(before >> 5 & 0xffff) << Int64(before >> 21 & 1 * 16)
            effect = .moveStack(word >> 30 & 1 == 1 ? -size : size)
        } else {
            change(target)
        }
    }

    private mutating func readMemory(_ word: UInt32) {
        let (first, second) = (Int(word & 31), Int(word >> 10 & 31))
        let isVector = word >> 26 & 1 == 1
        let isOnStack = word >> 5 & 31 == 31
        if word & 0x3a00_0000 == 0x2800_0000 {
            let size = word >> 30
            // stgp counts otherwise.
            let scale: Int64? = isVector ? 4 << Int64(size) : size == 2 ? 8 : size == 0 ? 4 : nil
            access(
                isLoad: word >> 22 & 1 == 1, isOnStack, isVector ? [] : [first, second],
                isWide: size == 2, by: scale.map { Self.signed(word >> 15, 7) * $0 },
                mode: word >> 23 & 3 == 0 ? 2 : word >> 23 & 3)
            return
        }
        let (registers, isWide) = (isVector ? [] : [first], word >> 30 == 3)
        let isLoad = word >> 22 & 3 != 0 && !(isVector && word >> 22 & 3 == 2)
        if word & 0x3b00_0000 == 0x3900_0000 {
            access(
                isLoad: isLoad, isOnStack, registers, isWide: isWide,
                by: Int64(word >> 10 & 0xfff) << Int64(word >> 30), mode: 2)
        } else if word & 0x3b20_0000 == 0x3800_0000 {
            let mode = word >> 10 & 3
            access(
                isLoad: isLoad, isOnStack, registers, isWide: isWide,
                by: Self.signed(word >> 12, 9), mode: mode & 1 == 0 ? 2 : mode)
        } else if !isVector, word & 0x3b00_0000 == 0x1800_0000 || word >> 22 & 1 == 1 {
            // Of a literal, exclusively, by an index.
            change(first == Self.stackPointer ? nil : first)
        } else if isOnStack, word & 0xbe80_0000 == 0x0c80_0000 || word >> 24 == 0xd9 {
            // Vectors' structures, and tags.
            effect = .loseStack
        }
    }

    /// - Parameter mode: 1 for an access before the base is moved, 3 behind that, 2 without moving it.
    private mutating func access(
        isLoad: Bool, _ isOnStack: Bool, _ registers: [Int], isWide: Bool, by distance: Int64?,
        mode: UInt32
    ) {
        guard isOnStack else {
            if isLoad, registers.contains(Self.framePointer) { effect = .changeFramePointer }
            return
        }
        guard let distance else {
            if mode != 2 { effect = .loseStack }
            return
        }
        let places = registers.map { isWide && 19...30 ~= $0 ? $0 - 19 : nil } + [nil, nil]
        let (place, move) = (mode == 1 ? 0 : distance, mode == 2 ? 0 : distance)
        effect =
            isLoad
            ? .load(places[0], places[1], at: place, moving: move)
            : .store(places[0], places[1], at: place, moving: move)
    }

    private mutating func change(_ register: Int?) {
        if register == Self.stackPointer { effect = .loseStack }
        if register == Self.framePointer { effect = .changeFramePointer }
    }

    private static func signed(_ bits: UInt32, _ count: Int) -> Int64 {
        Int64(Int32(bitPattern: bits << (32 - UInt32(count))) >> (32 - Int32(count)))
    }
}
